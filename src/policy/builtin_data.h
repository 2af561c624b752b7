// The data files of data/, compiled in. Each row keeps its file and line, so that a plan can say
// "builtin data/secrets.toml:12". The tables are generated at build time by tools/embed_data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace asb {

enum class BuiltinAccess : std::uint8_t {
  kRead,     ///< "ro": shown read-only when it exists
  kHide,     ///< "hide"
  kPrivate,  ///< "private": an empty folder of the sandbox's own
  kLink,     ///< "link": the host's symbolic link, when it is one
  kProc,     ///< "proc": a process file system of the sandbox's own
  kDevices,  ///< "devices": a minimal set of devices
  kMade,     ///< "made": a file of the sandbox's own, with a text that fits
};

struct BuiltinPath {
  BuiltinAccess access;
  std::string_view path;  ///< absolute or "~/…", may hold a pattern
  std::string_view why;
  std::string_view file;
  std::uint32_t line;
};

struct BuiltinVariable {
  std::string_view name;  ///< may hold '*'
  std::string_view why;
  std::string_view file;
  std::uint32_t line;
};

std::span<const BuiltinPath> WhitelistPaths();        ///< data/view.toml, whitelist
std::span<const BuiltinPath> BlacklistPaths();        ///< data/view.toml, blacklist
std::span<const BuiltinPath> SecretPaths();           ///< data/secrets.toml
std::span<const BuiltinPath> SensitivePaths();        ///< data/sensitive.toml
std::span<const BuiltinVariable> PassedVariables();   ///< data/environment.toml, pass
std::span<const BuiltinVariable> GuardedVariables();  ///< data/environment.toml, guarded

}  // namespace asb
