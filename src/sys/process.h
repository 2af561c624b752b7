// Who and where this process is. The only place that reads the environment.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace asb {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string name;
  std::string home;
  std::string shell;
};

/// From the password database (NSS), never from $HOME or $USER.
Result<User> CurrentUser();

/// Without links, as the kernel knows it. Fails (errno) when it was removed or is out of reach.
Result<std::string> CurrentDirectory();

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

}  // namespace asb
