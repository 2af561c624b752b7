#include "plan/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "plan/json.h"
#include "policy/print.h"
#include "policy/value.h"

namespace asb {
namespace {

using std::string_view;

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

Explanation ExplainVariable(const std::string& name, const EnvVerdict& verdict) {
  Explanation out{name,
                  verdict.enters ? (verdict.value ? "set" : "passed") : "dropped",
                  verdict.why.text,
                  verdict.why.origin,
                  {},
                  {}};
  const bool can_be_named =
      CheckItem(SpecOf(Key::kEnv), Item{name, "", "", {}}, ValueSource::kFile).empty();
  if (!verdict.enters && can_be_named) {
    out.changes.push_back({"to pass it", fmt::format("--env {}", ShellQuote(name)),
                           fmt::format("env = [{}]", TomlString(name)), "nothing else"});
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
