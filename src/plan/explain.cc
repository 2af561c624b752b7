#include "plan/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/glob.h"
#include "base/text.h"
#include "plan/json.h"
#include "plan/rules.h"
#include "plan/view.h"

namespace asb {
namespace {

using std::string_view;

/// The first mount at or below `path`; the end when there is none.
std::vector<MountStep>::const_iterator StepsFrom(const Plan& plan, const AbsolutePath& path) {
  return std::lower_bound(
      plan.mounts.begin(), plan.mounts.end(), path,
      [](const MountStep& step, const AbsolutePath& wanted) { return step.target < wanted; });
}

bool HasStepBelow(const Plan& plan, const AbsolutePath& path) {
  const auto step = StepsFrom(plan, path);
  return step != plan.mounts.end() && step->target.IsWithin(path);
}

/// The link on the way to the subject that the sandbox does not have, if there is one.
const LinkHop* MissingLink(const Plan& plan, const Resolved& at) {
  for (const LinkHop& hop : at.hops) {
    if (ShowsHost(DecidingEntry(plan.entries, hop.at).access)) continue;
    const auto step = StepsFrom(plan, hop.at);
    const bool made =
        step != plan.mounts.end() && step->target == hop.at && step->kind == MountKind::kLink;
    if (!made) return &hop;
  }
  return nullptr;
}

Change PathChange(string_view purpose, string_view key, const std::string& path, bool pattern,
                  std::string opens) {
  const std::string text = pattern ? path : GlobEscape(path);
  // The shell expands a bare ~ itself, so that flag can be typed as it stands.
  std::string word = ShellQuote(text);
  if (text == "~") word = text;
  if (text.starts_with("~/")) word = "~/" + (text.size() > 2 ? ShellQuote(text.substr(2)) : "");
  return {std::string(purpose), fmt::format("--{} {}", key, word),
          fmt::format("{} = [\"{}\"]", key, Printable(text)), std::move(opens)};
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

void AddPathChanges(const Plan& plan, const ViewEntry& entry, const Resolved& at,
                    Explanation& out) {
  const std::string path = PolicyPath(at.real, plan.user_home);
  const auto change = [&](string_view purpose, string_view key, std::string opens) {
    out.changes.push_back(PathChange(purpose, key, path, false, std::move(opens)));
  };
  const bool kernel = entry.access == Access::kProc || entry.access == Access::kDevices;
  if (entry.floor || kernel) return;  // nothing changes these
  const bool nothing_there = at.kind == FileKind::kMissing || at.kind == FileKind::kUnreadable;
  switch (entry.access) {
    case Access::kHidden:
    case Access::kAbsent:
    case Access::kPrivate:
      if (!nothing_there) change("to show it read-only", "ro", OpensBelow(at.kind));
      return;
    case Access::kRead:
      if (!nothing_there && !at.real.IsRoot()) {
        change("to make it writable", "rw", OpensBelow(at.kind));
      }
      change("to hide it", "hide", "nothing");
      return;
    case Access::kWrite:
      if (!nothing_there) change("to make it read-only", "ro", "nothing");
      change("to hide it", "hide", "nothing");
      return;
    case Access::kProc:
    case Access::kDevices:
      return;
  }
}

bool LooksLikeVariable(string_view word) {
  const auto upper = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto rest = [&](char c) { return upper(c) || (c >= '0' && c <= '9'); };
  return !word.empty() && upper(word[0]) && std::all_of(word.begin(), word.end(), rest);
}

bool LooksLikeHost(string_view word) {
  if (word == "localhost") return true;
  if (word.empty() || word[0] == '.' || word.find('/') != string_view::npos) return false;
  if (word.find('.') == string_view::npos && word.find(':') == string_view::npos) return false;
  return word.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]*") ==
         string_view::npos;
}

bool IsLoopback(string_view host) {
  return host == "localhost" || host.starts_with("localhost:") || host.starts_with("127.") ||
         host.starts_with("[::1]") || host == "::1";
}

}  // namespace

Subject ClassifySubject(string_view word, bool exists) {
  struct Prefix {
    string_view text;
    SubjectKind kind;
  };
  constexpr std::array<Prefix, 3> kPrefixes{{{"path:", SubjectKind::kPath},
                                             {"env:", SubjectKind::kVariable},
                                             {"host:", SubjectKind::kHost}}};
  for (const Prefix& prefix : kPrefixes) {
    if (word.starts_with(prefix.text)) {
      return {prefix.kind, std::string(word.substr(prefix.text.size()))};
    }
  }
  if (word.starts_with('$')) return {SubjectKind::kVariable, std::string(word.substr(1))};
  if (exists) return {SubjectKind::kPath, std::string(word)};
  if (LooksLikeVariable(word)) return {SubjectKind::kVariable, std::string(word)};
  if (LooksLikeHost(word)) return {SubjectKind::kHost, std::string(word)};
  return {SubjectKind::kPath, std::string(word)};
}

Explanation ExplainPath(const Plan& plan, const std::string& subject, const Resolved& at) {
  const ViewEntry& entry = DecidingEntry(plan.entries, at.real);
  Explanation out{subject,
                  std::string(WordFor(entry.access)),
                  EntryReason(plan, entry, at.real),
                  entry.why.origin,
                  {},
                  {}};
  if (at.real != at.spelled) {
    out.notes.push_back(fmt::format("it leads to {}", ShortPath(at.real, plan.user_home)));
  }
  if (const LinkHop* link = MissingLink(plan, at); link != nullptr && ShowsHost(entry.access)) {
    const ViewEntry& holder = DecidingEntry(plan.entries, link->at);
    out.verdict = "absent";
    out.reason = fmt::format("the link {} is not shown", ShortPath(link->at, plan.user_home));
    out.origin = holder.why.origin;
    out.notes.push_back(
        fmt::format("{} itself is {}", ShortPath(at.real, plan.user_home), WordFor(entry.access)));
    return out;
  }
  const bool closed = entry.access == Access::kAbsent || entry.access == Access::kHidden;
  if (closed && HasStepBelow(plan, at.real)) {
    out.verdict = "passage";
    out.notes.emplace_back("only what a rule shows below it is there");
  }
  if (at.kind == FileKind::kMissing) out.notes.emplace_back("it does not exist on this host");
  if (at.kind == FileKind::kUnreadable) out.notes.emplace_back("you may not look at it yourself");
  if (entry.access == Access::kPrivate) {
    out.notes.emplace_back("the sandbox has its own, empty at the start; the host's is not there");
  }
  if (entry.floor) out.notes.emplace_back("no rule can show it");
  AddPathChanges(plan, entry, at, out);
  return out;
}

Explanation ExplainVariable(const std::string& name, const EnvVerdict& verdict) {
  Explanation out{name,
                  verdict.enters ? (verdict.value ? "set" : "passed") : "dropped",
                  verdict.why.text,
                  verdict.why.origin,
                  {},
                  {}};
  if (!verdict.enters) {
    out.changes.push_back({"to pass it", fmt::format("--env {}", ShellQuote(name)),
                           fmt::format("env = [\"{}\"]", Printable(name)), "nothing else"});
  }
  return out;
}

Explanation ExplainHost(const Plan& plan, const std::string& host) {
  const Network network = plan.network.value;
  Explanation out{
      host, "unreachable", fmt::format("network = {}", WordFor(network)), plan.network.origin, {},
      {}};
  if (network == Network::kOpen) {
    out.verdict = "reachable";
    out.notes.emplace_back("the host's network is used as it is; nothing is filtered");
    out.changes.push_back({"to close it", "--network none", "network = \"none\"", "nothing"});
    return out;
  }
  if (IsLoopback(host)) {
    if (network == Network::kLoopback) {
      out.verdict = "own";
      out.notes.emplace_back("the sandbox's own loopback; services of the host are not there");
      return out;
    }
    out.changes.push_back({"to have a loopback of its own", "--network loopback",
                           "network = \"loopback\"", "nothing outside"});
    return out;
  }
  out.changes.push_back(
      {"to reach it", "--network open", "network = \"open\"", "every other host"});
  return out;
}

std::string ExplanationToText(const Explanation& e) {
  std::string out = fmt::format("{:<11} {}: {} ({})\n", e.verdict, Printable(e.subject),
                                Printable(e.reason), DescribeOrigin(e.origin));
  for (const std::string& note : e.notes) out += fmt::format("{:<11} {}\n", "", note);
  for (const Change& change : e.changes) {
    out += fmt::format("  {}:  {}     also opens: {}\n", change.purpose, change.flag, change.opens);
  }
  return out;
}

std::string ExplanationsToJson(const std::vector<Explanation>& explanations) {
  Json out = Json::array();
  for (const Explanation& e : explanations) {
    Json changes = Json::array();
    for (const Change& change : e.changes) {
      changes.push_back({{"purpose", change.purpose},
                         {"flag", JsonBytes(change.flag)},
                         {"toml", JsonBytes(change.toml)},
                         {"opens", change.opens}});
    }
    Json notes = e.notes;
    out.push_back({{"subject", JsonBytes(e.subject)},
                   {"verdict", e.verdict},
                   {"reason", JsonBytes(e.reason)},
                   {"origin", JsonOrigin(e.origin)},
                   {"notes", std::move(notes)},
                   {"changes", std::move(changes)}});
  }
  return DumpJson(out);
}

}  // namespace asb
