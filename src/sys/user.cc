#include "sys/user.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace asb {

Result<User> CurrentUser() {
  const uid_t uid = getuid();
  std::vector<char> buffer(1U << 14U);
  passwd entry{};
  passwd* found = nullptr;
  int error = 0;
  while ((error = getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found)) == ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  if (found == nullptr) {
    return tl::make_unexpected(
        Error{ErrorKind::kHost, error,
              fmt::format("user {} is not in the password database{}{}", uid,
                          error != 0 ? ": " : "", error != 0 ? std::strerror(error) : ""),
              "add an entry for this user (getent passwd must find it)"});
  }
  std::string real_name = entry.pw_gecos == nullptr ? "" : entry.pw_gecos;
  real_name.resize(std::min(real_name.find(','), real_name.size()));
  return User{uid, getgid(), entry.pw_name, entry.pw_dir, entry.pw_shell, std::move(real_name)};
}

std::vector<std::uint32_t> CallersGroups() {
  const int count = getgroups(0, nullptr);
  std::vector<gid_t> groups(static_cast<std::size_t>(std::max(count, 0)));
  const int got = getgroups(static_cast<int>(groups.size()), groups.data());
  groups.resize(static_cast<std::size_t>(std::max(got, 0)));
  groups.push_back(getgid());
  return {groups.begin(), groups.end()};
}

}  // namespace asb
