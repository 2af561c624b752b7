// Any bytes as a policy file: they are refused with messages that cannot act on a terminal, or they
// mean something that survives printing, and a plan can be made or refused.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "plan/compile.h"
#include "plan/print.h"
#include "plan/testing.h"
#include "policy/parse.h"
#include "policy/print.h"

namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

bool IsHarmless(std::string_view text) {
  for (const char c : text) {
    if (c != '\n' && static_cast<unsigned char>(c) < 0x20) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const asb::ParsedPolicy parsed = asb::ParsePolicy(text, "fuzz.toml");
  if (!parsed.diagnostics.empty()) {
    Require(IsHarmless(asb::RenderDiagnostics(parsed.diagnostics)));
    return 0;
  }
  const std::string printed = asb::PrintPolicy(parsed.file);
  const asb::ParsedPolicy again = asb::ParsePolicy(printed, "printed.toml");
  Require(again.diagnostics.empty());
  Require(asb::SameSettings(again.file.top, parsed.file.top));
  Require(asb::PrintPolicy(again.file) == printed);

  asb::HostFacts facts = asb::testing::SmallHost();
  asb::testing::Add(facts, "/a/b/c", asb::FileKind::kFile);
  asb::testing::Add(facts, "/a/l", asb::FileKind::kLink, "../b");
  const std::vector<asb::Layer> layers{asb::BuiltinLayer(), parsed.file.top};
  const asb::Policy policy = asb::MakePolicy(asb::MergeLayers(layers));
  const asb::Compiled compiled = asb::CompilePlan(policy, facts, {"true"});
  if (compiled.diagnostics.empty()) {
    Require(IsHarmless(asb::PlanToText(compiled.plan)));
    Require(!asb::PlanToJson(compiled.plan).empty());
  } else {
    Require(IsHarmless(asb::RenderDiagnostics(compiled.diagnostics)));
  }
  return 0;
}
