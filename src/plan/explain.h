// Why something is as it is, and the smallest change that would make it otherwise. Answers come
// from a plan, the same one that would be run: what its mounts make is the verdict, what its
// entries say is the reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "plan/environment.h"
#include "plan/plan.h"
#include "plan/resolve.h"
#include "plan/view_source.h"

namespace asb {

/// One change and what it costs.
struct Change {
  std::string purpose;  ///< "to show it read-only"
  std::string flag;     ///< "--ro ~/.ssh/config"
  std::string toml;     ///< "ro = [\"~/.ssh/config\"]"; empty: TOML has no form for these bytes
  std::string opens;    ///< "nothing else"
};

struct Explanation {
  std::string subject;  ///< as asked
  std::string verdict;  ///< one word
  std::string reason;   ///< a sentence without its full stop
  Origin origin;
  std::vector<std::string> notes;
  std::vector<Change> changes;
};

enum class SubjectKind { kPath, kVariable, kHost };

struct Subject {
  SubjectKind kind = SubjectKind::kPath;
  std::string text;  ///< without a "path:", "env:" or "host:" prefix
};

/// What a word names: by its prefix if it has one; otherwise "$NAME" and NAME in capitals are
/// variables, a name with a dot that `exists` does not know is a host, all else is a path.
Subject ClassifySubject(std::string_view word, bool exists);

/// The host with the binds of a plan in place: what the paths of rules, and of subjects, are about.
ViewSource ViewOf(const Plan& plan, FileSource& host);

/// `path` is the subject made absolute. Fails where no path can lead: below a file, in a loop, and
/// where `host` does not know.
Result<Explanation> ExplainPath(const Plan& plan, FileSource& host, const std::string& subject,
                                const AbsolutePath& path);
Explanation ExplainVariable(const std::string& name, const EnvVerdict& verdict);
Explanation ExplainHost(const Plan& plan, const std::string& host);

std::string ExplanationToText(const Explanation& explanation);
std::string ExplanationsToJson(const std::vector<Explanation>& explanations);

}  // namespace asb
