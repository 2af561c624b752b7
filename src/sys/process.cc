#include "sys/process.h"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

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

Result<std::string> CurrentDirectory() {
  std::array<char, PATH_MAX> buffer{};
  const char* path = getcwd(buffer.data(), buffer.size());
  // A folder outside the process's root comes back as "(unreachable)…".
  if (path != nullptr && path[0] == '/') return std::string(path);
  const int error = path == nullptr ? errno : ENOENT;
  return tl::make_unexpected(Error{ErrorKind::kHost, error, std::strerror(error), ""});
}

KernelNames Kernel() {
  utsname names{};
  if (uname(&names) != 0) return {};
  return {names.release, names.machine};
}

int LandlockAbi() {
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#endif
  constexpr unsigned kAskVersion = 1;  // LANDLOCK_CREATE_RULESET_VERSION
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, kAskVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

std::vector<std::string> VariableNames() {
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    names.emplace_back(text.substr(0, text.find('=')));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<std::string> VariableValue(const char* name) {
  const char* value = secure_getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace asb
