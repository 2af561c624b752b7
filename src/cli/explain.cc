// explain: why a path, a variable or a host is as it is.
#include "plan/explain.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "host/probe.h"
#include "plan/environment.h"

namespace asb {
namespace {

/// A path as typed here, absolute: "~" and "./" as in a policy, anything else from the current
/// directory.
std::string SubjectPath(const std::string& text, const HostFacts& facts) {
  std::string anchored = AnchoredPath(text, facts.current_directory);
  if (anchored == "~" || anchored.starts_with("~/")) return facts.user.home + anchored.substr(1);
  return anchored;
}

bool Exists(const Plan& plan, FileSource& host, const std::string& path) {
  const Result<AbsolutePath> absolute = AbsolutePath::Parse(path);
  if (!absolute) return false;
  ViewSource view = ViewOf(plan, host);
  const Result<Resolved> found = Resolver(view).Resolve(*absolute);
  return found && found->kind != FileKind::kMissing;
}

Result<Explanation> ExplainOne(const Prepared& prepared, FileSource& host, const Subject& subject) {
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
  return ExplainPath(prepared.plan, host, subject.text, *path);
}

}  // namespace

int ExplainCommand(const Invocation& invocation) {
  auto prepared = Prepare(invocation);
  if (!prepared) return Report(prepared.error());
  LookingSource looking(prepared->facts);  // at what the plan had no need to look at
  FactsSource described(prepared->facts);
  FileSource& host = invocation.facts ? static_cast<FileSource&>(described) : looking;
  std::vector<Explanation> explanations;
  for (const std::string& word : invocation.words) {
    const bool exists = Exists(prepared->plan, host, SubjectPath(word, prepared->facts));
    Result<Explanation> explanation = ExplainOne(*prepared, host, ClassifySubject(word, exists));
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
