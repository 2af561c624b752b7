#include "plan/hints.h"

#include <charconv>

namespace asb {
namespace {

/// The numbers at the start of "5.10.0-28-amd64" or "0.8.0".
std::array<int, 3> Numbers(std::string_view version) {
  std::array<int, 3> out{};
  for (int& number : out) {
    const auto [end, error] =
        std::from_chars(version.data(), version.data() + version.size(), number);
    if (error != std::errc()) break;
    version.remove_prefix(static_cast<std::size_t>(end - version.data()));
    if (version.empty() || version.front() != '.') break;
    version.remove_prefix(1);
  }
  return out;
}

}  // namespace

bool IsOlder(std::string_view version, std::string_view than) {
  return Numbers(version) < Numbers(than);
}

}  // namespace asb
