// Who and where this process is. The only place that reads the environment.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace asb {

struct Ids {
  uid_t uid = 0;
  gid_t gid = 0;
};
Ids CurrentIds();

/// Returns the mask before.
mode_t SetUmask(mode_t mask);

/// Without links, as the kernel knows it. Fails (errno) when it was removed or is out of reach.
Result<std::string> CurrentDirectory();

Result<void> ChangeFolder(const std::string& path);

struct KernelNames {
  std::string release;
  std::string machine;
};
KernelNames Kernel();

/// The version of Landlock that the running kernel offers; 0: none.
int LandlockAbi();

/// Names of all variables, sorted.
std::vector<std::string> VariableNames();
std::optional<std::string> VariableValue(const char* name);
/// All of them at once, where many are asked for: looking each one up takes a second for ten
/// thousand. They live as long as the process changes none.
std::unordered_map<std::string_view, std::string_view> Variables();

}  // namespace asb
