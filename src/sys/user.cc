#include "sys/user.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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
  return User{uid, getgid(), entry.pw_name, entry.pw_dir, entry.pw_shell};
}

}  // namespace asb
