// Any words as a command line: NUL separates them.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "cli/invocation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == 0) {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(data[i]);
    }
  }
  std::vector<const char*> args;
  for (const std::string& word : words) args.push_back(word.c_str());
  const asb::ParsedInvocation parsed = asb::ParseInvocation(args);
  if (!parsed.diagnostics.empty()) {
    for (const char c : asb::RenderDiagnostics(parsed.diagnostics)) {
      if (c != '\n' && static_cast<unsigned char>(c) < 0x20) std::abort();
    }
  }
  return 0;
}
