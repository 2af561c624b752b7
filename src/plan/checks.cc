#include "plan/checks.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "plan/json.h"

namespace asb {
namespace {

constexpr std::array<CheckSpec, 15> kChecks{{
    {CheckId::kKernel, "kernel", "mounts by descriptor, which came with Linux 5.12", true},
    {CheckId::kProc, "proc", "/proc, and settings there that close a sandbox", true},
    {CheckId::kUserNamespace, "user-namespace", "rights that end at the wall", true},
    {CheckId::kMountNamespace, "mount-namespace", "a view of files of its own", true},
    {CheckId::kNetworkNamespace, "network-namespace", "a network of its own, or none", true},
    {CheckId::kPidNamespace, "pid-namespace", "no process outside is seen or reached", true},
    {CheckId::kTerminal, "terminal", "terminals that the host does not share", true},
    {CheckId::kBubblewrap, "bubblewrap", "makes the inner namespaces", true},
    {CheckId::kInit, "init", "the first process inside, which starts the command", true},
    {CheckId::kLandlock, "landlock", "a second wall on files; not used by this version", false},
    {CheckId::kSeccomp, "seccomp", "a filter on system calls; not used by this version", false},
    {CheckId::kCgroup, "cgroup", "limits on memory and processor; not used by this version", false},
    {CheckId::kConfig, "config", "your policy", false},
    {CheckId::kState, "state", "what a run keeps; nothing in this version", false},
    {CheckId::kSandbox, "sandbox", "all of it: a command behind the default policy", true},
}};

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kChecks.size(); ++i) {
    if (static_cast<std::size_t>(kChecks[i].id) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

std::string_view WordFor(CheckState state) {
  switch (state) {
    case CheckState::kOk:
      return "ok";
    case CheckState::kMissing:
      return "missing";
    case CheckState::kNone:
      return "none";
  }
  return {};
}

std::string TextOf(const Check& check) {
  const CheckSpec& spec = SpecOf(check.id);
  // A dash is three bytes and one column.
  const std::string state =
      check.state == CheckState::kNone ? "—       " : fmt::format("{:<8}", WordFor(check.state));
  std::string out = fmt::format("{:<18} {} {}", spec.name, state, spec.purpose);
  const bool missing = check.state == CheckState::kMissing;
  if (!missing && !check.found.empty()) out += fmt::format(" ({})", Printable(check.found));
  out += '\n';
  if (missing) {
    out += fmt::format("  cause: {}\n  fix:   {}\n", Printable(check.cause), Printable(check.fix));
  }
  return out;
}

}  // namespace

std::span<const CheckSpec> AllChecks() { return kChecks; }
const CheckSpec& SpecOf(CheckId id) { return kChecks[static_cast<std::size_t>(id)]; }

Check CheckOk(CheckId id, std::string found) { return {id, CheckState::kOk, std::move(found)}; }

Check CheckNone(CheckId id, std::string found) { return {id, CheckState::kNone, std::move(found)}; }

Check CheckMissing(CheckId id, std::string cause, std::string fix) {
  return {id, CheckState::kMissing, "", std::move(cause), std::move(fix)};
}

Check CheckMissing(CheckId id, const Cause& cause) {
  return CheckMissing(id, CauseLine(cause), std::string(SpecOf(cause.id).fix));
}

Check CheckMissing(CheckId id, const Error& error) {
  return CheckMissing(id, error.cause.empty() ? error.what : error.cause, error.hint);
}

std::string ChecksToText(std::span<const Check> checks, std::span<const Gap> gaps, bool can_run) {
  std::string out;
  for (const Check& check : checks) out += TextOf(check);
  if (!can_run) {
    return out + "\nThe default policy cannot be run here: no command would be started.\n";
  }
  out += "\nThe default policy can be run here. It leaves these gaps open:\n";
  for (const Gap& gap : gaps) {
    out += fmt::format("  {}: {}\n", SpecOf(gap.id).name, SpecOf(gap.id).sentence);
  }
  return out;
}

std::string ChecksToJson(std::span<const Check> checks, std::span<const Gap> gaps, bool can_run) {
  Json rows = Json::array();
  for (const Check& check : checks) {
    const CheckSpec& spec = SpecOf(check.id);
    Json row{{"name", std::string(spec.name)},
             {"state", std::string(WordFor(check.state))},
             {"needed", spec.needed},
             {"purpose", std::string(spec.purpose)}};
    for (const auto& [name, text] :
         {std::pair("found", &check.found), std::pair("cause", &check.cause),
          std::pair("fix", &check.fix)}) {
      if (!text->empty()) row[name] = JsonBytes(*text);
    }
    rows.push_back(std::move(row));
  }
  Json open = Json::array();
  for (const Gap& gap : gaps) {
    open.push_back({{"name", std::string(SpecOf(gap.id).name)},
                    {"sentence", std::string(SpecOf(gap.id).sentence)}});
  }
  return DumpJson({{"can-run", can_run}, {"checks", std::move(rows)}, {"gaps", std::move(open)}});
}

}  // namespace asb
