#include "host/accounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>

#include "sys/files.h"
#include "sys/user.h"

namespace asb {
namespace {

using std::string_view;

constexpr std::uint32_t kFirstPerson = 1000;  // numbers below belong to the system
constexpr std::uint32_t kNobody = 65534;
constexpr std::size_t kLargestFile = std::size_t{1} << 20U;

bool IsOfSystem(std::uint32_t id) { return id < kFirstPerson || id == kNobody; }

std::optional<std::uint32_t> NumberOf(string_view text) {
  std::uint32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Calls `take` with the fields of each line that has `N` of them.
template <std::size_t N, typename Take>
void ForEachRow(string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::array<string_view, N> fields{};
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
      const std::size_t colon = line.find(':');
      more = colon != string_view::npos;
      if (count < N) fields[count] = line.substr(0, colon);
      if (more) line.remove_prefix(colon + 1);
    }
    if (count == N && !fields[0].empty()) take(fields);
  }
}

}  // namespace

std::vector<Account> SystemAccounts(string_view passwd) {
  std::vector<Account> out;
  ForEachRow<7>(passwd, [&](const std::array<string_view, 7>& fields) {
    const auto uid = NumberOf(fields[2]);
    const auto gid = NumberOf(fields[3]);
    if (!uid || !gid || !IsOfSystem(*uid)) return;
    out.push_back(
        {std::string(fields[0]), *uid, *gid, std::string(fields[5]), std::string(fields[6])});
  });
  return out;
}

std::vector<Group> KnownGroups(string_view group, const std::vector<std::uint32_t>& callers) {
  std::vector<Group> out;
  ForEachRow<4>(group, [&](const std::array<string_view, 4>& fields) {
    const auto gid = NumberOf(fields[2]);
    if (!gid) return;
    const bool callers_own = std::find(callers.begin(), callers.end(), *gid) != callers.end();
    if (callers_own || IsOfSystem(*gid)) out.push_back({std::string(fields[0]), *gid, callers_own});
  });
  return out;
}

void ProbeAccounts(HostFacts& facts) {
  facts.accounts = SystemAccounts(ReadRegularFile("/etc/passwd", kLargestFile).value_or(""));
  const auto groups = CallersGroups();
  facts.groups = KnownGroups(ReadRegularFile("/etc/group", kLargestFile).value_or(""), groups);
}

}  // namespace asb
