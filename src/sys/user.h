// The caller in the password database.
#pragma once

#include <sys/types.h>

#include <string>

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

}  // namespace asb
