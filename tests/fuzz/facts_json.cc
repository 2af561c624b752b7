// Any bytes as facts: refused, or the same after a way through JSON.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "plan/facts_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto facts =
      asb::FactsFromJson(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!facts) return 0;
  const std::string json = asb::FactsToJson(*facts);
  const auto again = asb::FactsFromJson(json);
  if (!again || asb::FactsToJson(*again) != json) std::abort();
  return 0;
}
