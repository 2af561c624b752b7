// gc: the kept homes of this host, listed or removed.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "host/kept.h"
#include "host/probe.h"
#include "sys/folders.h"

namespace asb {
namespace {

constexpr std::int64_t kDay = std::int64_t{24} * 3600;
constexpr std::int64_t kMostDays = 100'000;

Result<std::int64_t> ParseDays(const std::string& text) {
  std::int64_t days = -1;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, days);
  if (read.ec == std::errc() && read.ptr == end && days >= 0 && days <= kMostDays) return days;
  return Fail(ErrorKind::kUsage,
              fmt::format("--older-than needs a number of days, and got '{}'", Printable(text)),
              "agent-sandbox gc --older-than 30");
}

Result<KeptLimits> LimitsOf(const Invocation& invocation) {
  KeptLimits limits;
  limits.all = invocation.all;
  if (invocation.older_than) {
    const auto days = ParseDays(*invocation.older_than);
    if (!days) return tl::make_unexpected(days.error());
    limits.older_than = *days * kDay;
  }
  if (invocation.max_size) {
    const auto bytes = ParseSize(*invocation.max_size);
    if (!bytes) {
      return Fail(
          ErrorKind::kUsage,
          fmt::format("--max-size needs a size, and got '{}'", Printable(*invocation.max_size)),
          "agent-sandbox gc --max-size 2G");
    }
    limits.bytes = *bytes;
  }
  return limits;
}

Result<Fd> FindHomes() {
  Result<HostFacts> facts = ProbeMachine();
  if (!facts) return tl::make_unexpected(facts.error());
  LookingSource source(*facts);
  const auto state = FindState(*facts, source);
  if (!state) return tl::make_unexpected(state.error());
  return OpenHomes(*state);
}

/// Removes those of `rows` that are chosen; what is left of `rows` was removed.
int RemoveRows(int homes, const std::vector<std::string>& chosen, std::vector<KeptRow>& rows) {
  int code = kExitOk;
  std::erase_if(rows, [&](const KeptRow& row) {
    if (std::find(chosen.begin(), chosen.end(), row.key) == chosen.end()) return true;
    const auto removed = RemoveHome(homes, row.key);
    if (removed) return !*removed;
    code = Report(
        Error{ErrorKind::kHost, removed.error().sys_errno,
              fmt::format("'{}' cannot be removed: {}", Printable(row.key), removed.error().what),
              "look what is mounted in it, or who owns it, and try again"});
    return true;
  });
  return code;
}

}  // namespace

int GcCommand(const Invocation& invocation) {
  const auto limits = LimitsOf(invocation);
  if (!limits) return Report(limits.error());
  const auto homes = FindHomes();
  if (!homes) return Report(homes.error());
  std::vector<KeptRow> rows;
  if (homes->IsOpen()) {
    auto listed = ListHomes(homes->get(), TreeBudget{});
    if (!listed) return Report(listed.error());
    rows = std::move(*listed);
  }
  int code = kExitOk;
  KeptVerb verb = KeptVerb::kList;
  const std::int64_t now = WallClock();
  if (!invocation.list) {
    const auto chosen = ChooseRemovals(rows, *limits, now);
    verb = invocation.dry_run ? KeptVerb::kWouldRemove : KeptVerb::kRemoved;
    if (invocation.dry_run) {
      std::erase_if(rows, [&](const KeptRow& row) {
        return std::find(chosen.begin(), chosen.end(), row.key) == chosen.end();
      });
    } else {
      code = RemoveRows(homes->get(), chosen, rows);
    }
  }
  PrintOut(invocation.json ? KeptToJson(rows, verb) : KeptToText(rows, verb, *limits, now));
  return code;
}

}  // namespace asb
