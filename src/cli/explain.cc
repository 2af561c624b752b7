// explain: why a path, a variable or a host is as it is.
#include "plan/explain.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "plan/environment.h"
#include "policy/value.h"

namespace asb {
namespace {

/// A path as typed here, absolute: "~" and "./" as in a policy, anything else from the current
/// directory.
std::string SubjectPath(const std::string& text, const HostFacts& facts) {
  Layer layer;
  Setting& setting = layer.At(Key::kWorkspace).emplace();  // the key whose value is one plain path
  setting.items.push_back({text, "", "", {}});
  if (!facts.current_directory.empty()) AnchorPaths(layer, facts.current_directory);
  const std::string& anchored = setting.items.front().text;
  if (anchored == "~" || anchored.starts_with("~/")) return facts.user.home + anchored.substr(1);
  return anchored;
}

bool Exists(const Prepared& prepared, const std::string& path) {
  const Result<AbsolutePath> absolute = AbsolutePath::Parse(path);
  FactsSource source(prepared.facts);
  const auto found = absolute ? Resolver(source).Resolve(*absolute)
                              : Result<Resolved>(tl::make_unexpected(absolute.error()));
  return found && found->kind != FileKind::kMissing;
}

Result<Explanation> ExplainOne(const Prepared& prepared, const Subject& subject) {
  switch (subject.kind) {
    case SubjectKind::kHost:
      return ExplainHost(prepared.plan, subject.text);
    case SubjectKind::kVariable: {
      Diagnostics ignored;
      const BuiltinTables tables = ShippedTables();
      const EnvRules rules(prepared.policy, prepared.facts, tables, ignored);
      return ExplainVariable(subject.text, rules.Decide(subject.text));
    }
    case SubjectKind::kPath:
      break;
  }
  const auto path = AbsolutePath::Parse(SubjectPath(subject.text, prepared.facts));
  if (!path) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' {}", Printable(subject.text), path.error().what),
                path.error().hint);
  }
  FactsSource source(prepared.facts);
  const Result<Resolved> at = Resolver(source).Resolve(*path);
  if (!at) return tl::make_unexpected(at.error());
  return ExplainPath(prepared.plan, subject.text, *at);
}

}  // namespace

int ExplainCommand(const Invocation& invocation) {
  auto facts = LoadFacts(invocation);
  if (!facts) return Report(facts.error());
  std::vector<std::string> paths;
  for (const std::string& word : invocation.words) {
    paths.push_back(SubjectPath(ClassifySubject(word, true).text, *facts));
  }
  const auto prepared = Prepare(invocation, paths);
  if (!prepared) return Report(prepared.error());
  std::vector<Explanation> explanations;
  for (const std::string& word : invocation.words) {
    const Subject subject =
        ClassifySubject(word, Exists(*prepared, SubjectPath(word, prepared->facts)));
    Result<Explanation> explanation = ExplainOne(*prepared, subject);
    if (!explanation) return Report(explanation.error());
    explanations.push_back(std::move(*explanation));
  }
  if (invocation.json) {
    PrintOut(ExplanationsToJson(explanations));
  } else {
    for (const Explanation& explanation : explanations) PrintOut(ExplanationToText(explanation));
  }
  return kExitOk;
}

}  // namespace asb
