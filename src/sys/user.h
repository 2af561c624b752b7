// The caller in the password database.
#pragma once

#include <sys/types.h>

#include <cstdint>
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
  std::string real_name;
};

/// From the password database (NSS), never from $HOME or $USER.
Result<User> CurrentUser();

/// The numbers of every group that the caller is in.
std::vector<std::uint32_t> CallersGroups();

}  // namespace asb
