#include "plan/made.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace asb {
namespace {

/// Writes rows of fields that end at a colon. Nothing in a field may forge another field or row.
class Rows {
 public:
  Rows& Add(std::string_view text) {
    const std::size_t start = out_.size();
    out_ += text;
    std::replace_if(
        out_.begin() + static_cast<std::ptrdiff_t>(start), out_.end(),
        [](char c) { return c == ':' || c == '\n' || c == '\0'; }, ' ');
    out_ += ':';
    return *this;
  }
  Rows& Add(std::uint32_t number) { return Add(std::string_view(fmt::format_int(number).c_str())); }
  void End() { out_.back() = '\n'; }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

void AddAccount(Rows& rows, const Account& row, std::string_view real_name) {
  rows.Add(row.name).Add("x").Add(row.uid).Add(row.gid).Add(real_name);
  rows.Add(row.home).Add(row.shell).End();
}

/// The accounts of the system, and the caller: nobody else who has one on this host.
std::string PasswordFile(const HostFacts& facts) {
  const UserFacts& user = facts.user;
  Rows rows;
  for (const Account& row : facts.accounts) {
    if (row.uid != user.uid && row.name != user.name) AddAccount(rows, row, "");
  }
  AddAccount(rows, {user.name, user.uid, user.gid, user.home, user.shell}, user.real_name);
  return rows.Take();
}

std::string GroupFile(const HostFacts& facts) {
  Rows rows;
  bool has_own = false;
  for (const Group& row : facts.groups) {
    const std::string_view member = row.has_caller ? facts.user.name : std::string_view();
    rows.Add(row.name).Add("x").Add(row.gid).Add(member).End();
    has_own = has_own || row.gid == facts.user.gid;
  }
  if (!has_own) rows.Add(facts.user.name).Add("x").Add(facts.user.gid).Add("").End();
  return rows.Take();
}

/// ssh refuses a file that includes others whose owner it does not know; inside, root is unknown.
constexpr std::string_view kSshSettings =
    "# The sandbox's own: the host's settings of ssh are not shown.\n"
    "Host *\n"
    "    HashKnownHosts yes\n"
    "    SendEnv LANG LC_*\n";

}  // namespace

std::string MadeText(std::string_view path, const HostFacts& facts) {
  if (path == "/etc/passwd") return PasswordFile(facts);
  if (path == "/etc/group") return GroupFile(facts);
  if (path == "/etc/ssh/ssh_config") return std::string(kSshSettings);
  return {};
}

}  // namespace asb
