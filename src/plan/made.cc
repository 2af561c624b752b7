#include "plan/made.h"

#include <fmt/format.h>

#include <algorithm>

namespace asb {
namespace {

/// A field of these files ends at a colon, and a row at a newline; nothing may forge either.
std::string Field(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == ':' || c == '\n' || c == '\0'; }, ' ');
  return text;
}

std::string PasswordRow(const Account& row, const std::string& real_name) {
  return fmt::format("{}:x:{}:{}:{}:{}:{}\n", Field(row.name), row.uid, row.gid, Field(real_name),
                     Field(row.home), Field(row.shell));
}

/// The accounts of the system, and the caller: nobody else who has one on this host.
std::string PasswordFile(const HostFacts& facts) {
  const UserFacts& user = facts.user;
  std::string out;
  for (const Account& row : facts.accounts) {
    if (row.uid != user.uid && row.name != user.name) out += PasswordRow(row, "");
  }
  return out + PasswordRow({user.name, user.uid, user.gid, user.home, user.shell}, user.real_name);
}

std::string GroupFile(const HostFacts& facts) {
  std::string out;
  bool has_own = false;
  for (const Group& row : facts.groups) {
    out += fmt::format("{}:x:{}:{}\n", Field(row.name), row.gid,
                       row.has_caller ? Field(facts.user.name) : "");
    has_own = has_own || row.gid == facts.user.gid;
  }
  if (!has_own) out += fmt::format("{}:x:{}:\n", Field(facts.user.name), facts.user.gid);
  return out;
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
