// Why a launch failed, in words with a cause and a fix. Pure: what the host says was gathered
// before.
#pragma once

#include <string>

#include "base/result.h"
#include "plan/causes.h"
#include "plan/hints.h"
#include "wire/message.h"

namespace asb {

struct LaunchFailure {
  Phase phase = Phase::kNone;
  int sys_errno = 0;
  std::string step;       ///< what was being done, with the kernel's sentence
  std::string complaint;  ///< what bubblewrap printed
};

Cause CauseOf(const LaunchFailure& failure, const HostHints& hints);

Error DescribeFailure(const LaunchFailure& failure, const HostHints& hints);

/// The same for an error from before the launch. One that says its own fix stays as it is.
Error DescribeFailure(const Error& error, const HostHints& hints);

}  // namespace asb
