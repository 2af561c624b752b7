// Runs every case of tests/cases/*.cases: the whole pure line from argv and policy text to the plan
// or to the messages. Expected texts are written by hand from docs/reference/plan.md.
//
// ASB_ACCEPT=1 rewrites them from the output and reports each rewritten case as skipped, so that
// accepting can never look green.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "case_file.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/invocation.h"
#include "plan/compile.h"

namespace asb {
namespace {

std::string From(const Why& why) { return fmt::format(" < {}", DescribeOrigin(why.origin)); }

std::string Compact(const MountStep& step) {
  std::string out = fmt::format("{} {}", WordFor(step.kind), Printable(step.target.text()));
  if (HasSource(step.kind) && step.source != step.target) {
    out += fmt::format(" from {}", Printable(step.source.text()));
  }
  if (step.kind == MountKind::kLink) out += fmt::format(" -> {}", Printable(step.link_target));
  return out + From(step.why) + "\n";
}

/// A plan without what is the same in every case: the gaps of walls not built yet, and the four
/// variables of the password database.
std::string Compact(const Plan& plan) {
  std::string out;
  for (const MountStep& step : plan.mounts) out += Compact(step);
  for (const EnvStep& step : plan.env) {
    if (step.why.text == "as in the password database") continue;
    out += fmt::format("env {}{}{}\n", step.name, step.value ? "=" + Printable(*step.value) : "",
                       From(step.why));
  }
  if (!plan.command.empty()) {
    out += "command";
    for (const std::string& word : plan.command) out += " " + ShellQuote(word);
    out += "\n";
  }
  if (plan.network.value != Network::kNone) {
    out += fmt::format("network {} < {}\n", WordFor(plan.network.value),
                       DescribeOrigin(plan.network.origin));
  }
  for (const LeftOut& item : plan.left_out) {
    out += fmt::format("left-out {}: {} < {}\n", Printable(item.what), item.reason,
                       DescribeOrigin(item.origin));
  }
  for (const Alert& alert : plan.alerts) {
    out +=
        fmt::format("alert {} < {}\n", Printable(alert.path.text()), DescribeOrigin(alert.origin));
  }
  for (const Gap& gap : plan.gaps) {
    if (gap.id < GapId::kRunLater) {  // those of this plan; the others stand in every one
      out += fmt::format("gap {} {}\n", SpecOf(gap.id).name, gap.where);
    }
  }
  for (const Blocker& blocker : plan.blockers) out += fmt::format("blocker {}\n", blocker.what);
  return out;
}

struct Output {
  std::string text;
  int exit_code = kExitOk;
};

Output Failed(const Failure& failure) {
  if (failure.error) {
    return {fmt::format("agent-sandbox: {}\n", failure.error->what), kExitPolicy};
  }
  return {RenderDiagnostics(failure.diagnostics), kExitPolicy};
}

Output RunCase(const Case& test) {
  std::vector<const char*> args;
  for (const std::string& arg : test.args) args.push_back(arg.c_str());
  const ParsedInvocation parsed = ParseInvocation(args);
  if (!parsed.diagnostics.empty()) return {RenderDiagnostics(parsed.diagnostics), kExitUsage};
  LoadedFile file{"config.toml", "", std::nullopt};
  if (test.policy) file.parsed = ParsePolicy(*test.policy, "config.toml");
  const Outcome<Layer> merged = AssembleLayers(parsed.invocation, std::move(file), test.host);
  if (!merged) return Failed(merged.error());
  const Policy policy = MakePolicy(*merged);
  BuiltinTables tables;
  if (test.shipped_tables) tables = ShippedTables();
  if (test.secret_table) tables.secrets = SecretPaths();
  if (test.sensitive_table) tables.sensitive = SensitivePaths();
  const auto command = ChooseCommand(parsed.invocation, policy, test.host);
  const Compiled compiled = CompilePlan(policy, test.host, command, tables);
  if (!compiled.diagnostics.empty()) {
    return {RenderDiagnostics(compiled.diagnostics), kExitPolicy};
  }
  return {Compact(compiled.plan), kExitOk};
}

void Accept(const Case& test, const Output& output) {
  std::ifstream in(test.file, std::ios::binary);
  std::stringstream content;
  content << in.rdbuf();
  std::string text = content.str();
  const std::size_t next = text.find("\n=== ", test.expected_at - 1);
  const std::size_t end = next == std::string::npos ? text.size() : next + 1;
  const std::string gap = next == std::string::npos ? "" : "\n";
  text.replace(test.expected_at, end - test.expected_at, output.text + gap);
  std::ofstream(test.file, std::ios::binary) << text;
}

class CaseTest : public testing::Test {
 public:
  explicit CaseTest(Case test) : test_(std::move(test)) {}
  void TestBody() override {
    const Output output = RunCase(test_);
    if (output.text == test_.expected && output.exit_code == test_.exit_code) return;
    if (std::getenv("ASB_ACCEPT") != nullptr) {
      Accept(test_, output);
      GTEST_SKIP() << "accepted: run again to test";
    }
    EXPECT_EQ(output.exit_code, test_.exit_code);
    EXPECT_EQ(output.text, test_.expected);
  }

 private:
  Case test_;
};

/// "A hide survives" → "AHideSurvives", for ctest.
std::string TestName(const std::string& sentence) {
  std::string out;
  bool upper = true;
  for (const char c : sentence) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (letter) out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = !letter;
  }
  return out;
}

}  // namespace
}  // namespace asb

/// cases_test [FILE.cases…]: all of tests/cases unless files are named.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator("tests/cases")) {
      if (entry.path().extension() == ".cases") files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  for (const std::string& file : files) {
    const std::string suite = asb::TestName(std::filesystem::path(file).stem().string());
    for (const asb::Case& test : asb::ReadCases(file)) {
      testing::RegisterTest(suite.c_str(), asb::TestName(test.name).c_str(), nullptr, nullptr,
                            file.c_str(), 0,
                            [test]() -> testing::Test* { return new asb::CaseTest(test); });
    }
  }
  return RUN_ALL_TESTS();
}
