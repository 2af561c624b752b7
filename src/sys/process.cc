#include "sys/process.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <sys/stat.h>
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

#include "sys/error.h"

namespace asb {

Ids CurrentIds() { return {getuid(), getgid()}; }

mode_t SetUmask(mode_t mask) { return umask(mask); }

Result<std::string> CurrentDirectory() {
  std::array<char, PATH_MAX> buffer{};
  const char* path = getcwd(buffer.data(), buffer.size());
  // A folder outside the process's root comes back as "(unreachable)…".
  if (path != nullptr && path[0] == '/') return std::string(path);
  const int error = path == nullptr ? errno : ENOENT;
  return tl::make_unexpected(Error{ErrorKind::kHost, error, std::strerror(error), ""});
}

Result<void> ChangeFolder(const std::string& path) {
  if (chdir(path.c_str()) != 0) return SysError();
  return {};
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

std::unordered_map<std::string_view, std::string_view> Variables() {
  std::unordered_map<std::string_view, std::string_view> out;
  if (getauxval(AT_SECURE) != 0) return out;  // as secure_getenv
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      out.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

}  // namespace asb
