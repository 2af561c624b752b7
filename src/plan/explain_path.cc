// explain of a path. Two walks: one as rules go, to the place that rules are about, and one as the
// kernel goes inside. Where the second does not come as far, that is the answer.
#include <fmt/format.h>

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "plan/explain.h"
#include "plan/inside_source.h"
#include "plan/view.h"
#include "plan/wording.h"
#include "policy/print.h"

namespace asb {
namespace {

using std::string_view;

Change PathChange(string_view purpose, string_view key, const std::string& path,
                  std::string opens) {
  const std::string text = GlobEscape(path);
  // The shell expands a bare ~ itself, so that flag can be typed as it stands.
  std::string word = ShellQuote(text);
  if (text == "~") word = text;
  if (text.starts_with("~/")) word = "~/" + (text.size() > 2 ? ShellQuote(text.substr(2)) : "");
  std::string toml;
  if (IsUtf8(text)) toml = fmt::format("{} = [{}]", key, TomlString(text));
  return {std::string(purpose), fmt::format("--{} {}", key, word), std::move(toml),
          std::move(opens)};
}

std::string OpensBelow(FileKind kind) {
  return kind == FileKind::kFolder ? "everything below it that is not hidden" : "nothing else";
}

/// How the home folder is written in a policy.
std::string PolicyPath(const AbsolutePath& path, const AbsolutePath& home) {
  if (home.IsRoot() || !path.IsWithin(home)) return path.text();
  return "~" + path.text().substr(home.text().size());
}

/// "~/.ssh: SSH keys", or only the reason when the entry is the subject itself.
std::string EntryReason(const Plan& plan, const ViewEntry& entry, const AbsolutePath& subject) {
  if (entry.path == subject || entry.path.IsRoot()) return entry.why.text;
  return fmt::format("{}: {}", ShortPath(entry.path, plan.user_home), entry.why.text);
}

bool CanBeGranted(FileKind kind) {
  return kind != FileKind::kMissing && kind != FileKind::kUnreadable && kind != FileKind::kDevice &&
         kind != FileKind::kKernel;
}

void AddPathChanges(const Plan& plan, const ViewEntry& entry, const Resolved& at,
                    Explanation& out) {
  const std::string path = PolicyPath(at.real, plan.user_home);
  const auto change = [&](string_view purpose, string_view key, std::string opens) {
    out.changes.push_back(PathChange(purpose, key, path, std::move(opens)));
  };
  if (entry.floor) return;  // nothing changes it
  switch (entry.access) {
    case Access::kHidden:
    case Access::kAbsent:
    case Access::kPrivate:
    case Access::kKept:
      if (CanBeGranted(at.kind)) change("to show it read-only", "ro", OpensBelow(at.kind));
      return;
    case Access::kRead:
      if (CanBeGranted(at.kind) && !at.real.IsRoot()) {
        change("to make it writable", "rw", OpensBelow(at.kind));
      }
      change("to hide it", "hide", "nothing");
      return;
    case Access::kWrite:
      if (CanBeGranted(at.kind)) change("to make it read-only", "ro", "nothing");
      change("to hide it", "hide", "nothing");
      return;
    case Access::kMade:
      if (CanBeGranted(at.kind)) change("to show the host's", "ro", OpensBelow(at.kind));
      return;
    case Access::kProc:
    case Access::kDevices:
      return;
  }
}

bool IsOwnAccess(Access access) { return access == Access::kPrivate || access == Access::kKept; }

/// The entry that has effect at `path`: a private folder that the host has no place for is left
/// out, and the folder around it is seen instead.
const ViewEntry& EffectiveEntry(const Plan& plan, const MountStep* step, const AbsolutePath& path) {
  const ViewEntry& entry = DecidingEntry(plan.entries, path);
  const bool left_out =
      IsOwnAccess(entry.access) && (step == nullptr || !step->target.IsWithin(entry.path));
  return left_out ? DecidingEntry(plan.entries, entry.path.Parent()) : entry;
}

/// Whether a folder of the sandbox's own is there, with nothing in it but what is mounted.
bool IsOwnFolder(const MountStep* step) {
  return step == nullptr || step->kind == MountKind::kPassage ||
         step->kind == MountKind::kPrivate || step->kind == MountKind::kKept;
}

/// What the sandbox has at a place that the walk inside came to.
string_view VerdictThere(const MountStep* step) {
  switch (step == nullptr ? MountKind::kPassage : step->kind) {
    case MountKind::kReadOnly:
      return WordFor(Access::kRead);
    case MountKind::kWritable:
    case MountKind::kPin:
      return WordFor(Access::kWrite);
    case MountKind::kPrivate:
      return WordFor(Access::kPrivate);
    case MountKind::kKept:
      return WordFor(Access::kKept);
    case MountKind::kProc:
      return WordFor(Access::kProc);
    case MountKind::kDevices:
      return WordFor(Access::kDevices);
    case MountKind::kMade:
      return WordFor(Access::kMade);
    case MountKind::kHiddenFile:
    case MountKind::kHiddenFolder:
      return WordFor(Access::kHidden);
    case MountKind::kPassage:
    case MountKind::kLink:
      break;
  }
  return WordFor(MountKind::kPassage);
}

/// The same where nothing is, or nothing may be looked at: what is decided about the path.
string_view VerdictNotThere(const MountStep* step, const ViewEntry& entry) {
  if (entry.access == Access::kHidden) return WordFor(Access::kHidden);
  const string_view around = VerdictThere(step);
  return around == WordFor(MountKind::kPassage) ? WordFor(Access::kAbsent) : around;
}

/// The walk inside ends at `stop`, before it comes to the place that the subject leads to.
void ExplainStop(const Plan& plan, const InsideSource::Stop& stop, const Resolved& at,
                 Explanation& out) {
  const ViewEntry& entry = DecidingEntry(plan.entries, at.real);
  const ViewEntry& holder = DecidingEntry(plan.entries, stop.at);
  const bool refused = stop.kind == FileKind::kUnreadable;
  const auto link = std::find_if(at.hops.begin(), at.hops.end(),
                                 [&](const LinkHop& hop) { return hop.at.IsWithin(stop.at); });
  out.verdict = WordFor(refused ? Access::kHidden : Access::kAbsent);
  out.reason = link == at.hops.end()
                   ? fmt::format("{} on the way is not shown", ShortPath(stop.at, plan.user_home))
                   : fmt::format("the link {} is not shown", ShortPath(link->at, plan.user_home));
  out.origin = holder.why.origin;
  out.notes.push_back(
      fmt::format("{} itself is {}", ShortPath(at.real, plan.user_home), WordFor(entry.access)));
  // A grant by this name brings its links along, one of the place alone does not; but a builtin
  // hide is lifted by its own name only.
  const bool builtin_hide =
      entry.access == Access::kHidden && entry.why.origin.layer == LayerKind::kBuiltin;
  if (link == at.hops.end() || builtin_hide || !CanBeGranted(at.kind)) return;
  const bool writable = entry.access == Access::kWrite;
  out.changes.push_back(PathChange(writable ? "to show it" : "to show it read-only",
                                   writable ? "rw" : "ro", PolicyPath(at.spelled, plan.user_home),
                                   ShowsHost(entry.access) ? "nothing else" : OpensBelow(at.kind)));
}

bool IsHostFolder(const MountStep* step) {
  return step != nullptr && (step->kind == MountKind::kReadOnly ||
                             step->kind == MountKind::kWritable || step->kind == MountKind::kPin);
}

void AddNotes(const InsideSource& inside, const ViewEntry& entry, const MountStep* step,
              const Resolved& at, Explanation& out) {
  if (out.verdict == WordFor(MountKind::kPassage)) {
    out.notes.emplace_back("only what a rule shows below it is there");
  }
  if (out.verdict == WordFor(Access::kHidden) && IsOwnFolder(step)) {
    out.notes.emplace_back("not even its name is there: the folder that holds it is not shown");
  }
  if (at.kind == FileKind::kMissing) out.notes.emplace_back("it does not exist on this host");
  if (at.kind == FileKind::kMissing && entry.access == Access::kHidden && IsHostFolder(step)) {
    out.notes.emplace_back("if it appears during the run it is hidden then: the gap late-hide");
  }
  if (at.kind == FileKind::kUnreadable) out.notes.emplace_back("you may not look at it yourself");
  const bool kept = out.verdict == WordFor(Access::kKept);
  if (kept || out.verdict == WordFor(Access::kPrivate)) {
    out.notes.emplace_back(
        kept ? "the sandbox has its own, which survives the run; the host's is not there"
             : "the sandbox has its own, empty at the start; the host's is not there");
    if (inside.HasStepBelow(at.real)) out.notes.emplace_back("what a rule shows below it is there");
  }
  if (out.verdict == WordFor(Access::kMade)) {
    out.notes.emplace_back("the sandbox has its own, made for this run; the host's is not there");
  }
  if (entry.floor) out.notes.emplace_back("no rule can show it");
}

}  // namespace

ViewSource ViewOf(const Plan& plan, FileSource& host) {
  ViewSource view(host);
  for (const ViewEntry& entry : plan.entries) {
    // Folders first: what lies below a bind is moved with it already.
    if (view.OnHost(entry.path) != entry.source) view.Show(entry.source, entry.path);
  }
  return view;
}

Result<Explanation> ExplainPath(const Plan& plan, FileSource& host, const std::string& subject,
                                const AbsolutePath& path) {
  InsideSource inside(plan, host);
  const Result<Resolved> walked = Resolver(inside).Resolve(path);
  ViewSource view = ViewOf(plan, host);
  Result<Resolved> at = Resolver(view).Resolve(path);
  // A hidden file with a grant below it is a folder inside: there, only the walk inside arrives.
  if (!at && walked && !inside.stop()) at = walked;
  if (!at) return tl::make_unexpected(at.error());
  // A link that climbs out of what is missing or refused ends there, in the kernel as here.
  if (!walked && !inside.stop()) return tl::make_unexpected(walked.error());

  Explanation out;
  out.subject = subject;
  if (at->real != at->spelled) {
    out.notes.push_back(fmt::format("it leads to {}", ShortPath(at->real, plan.user_home)));
  }
  if (!walked || (inside.stop() && walked->real != at->real)) {
    ExplainStop(plan, *inside.stop(), *at, out);
    return out;
  }
  // The two differ where the caller may not look and a bind lies below: inside it is seen.
  const Resolved& place = walked->real == at->real ? *at : *walked;
  const MountStep* step = inside.StepOver(place.real);
  const ViewEntry& entry = EffectiveEntry(plan, step, place.real);
  out.verdict = inside.stop() ? VerdictNotThere(step, entry) : VerdictThere(step);
  // A folder that was made on the way to a grant is as the private folder around it.
  const bool is_own =
      out.verdict == WordFor(Access::kPrivate) || out.verdict == WordFor(Access::kKept);
  const ViewEntry& said = is_own ? DecidingEntry(plan.entries, step->target) : entry;
  out.reason = EntryReason(plan, said, place.real);
  out.origin = said.why.origin;
  AddNotes(inside, entry, step, place, out);
  AddPathChanges(plan, entry, place, out);
  return out;
}

}  // namespace asb
