// How a function of this project says that it failed.
//
// Every fallible function returns Result<T>. An Error carries what a person needs: what failed,
// as the kernel or the parser saw it, and what to do about it. `kind` alone decides the exit code.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace asb {

enum class ErrorKind {
  kUsage,   ///< the command line makes no sense
  kPolicy,  ///< a policy, or a path it names, is wrong
  kHost,    ///< the host cannot do what the policy needs: a wall would be missing
};

struct Error {
  ErrorKind kind = ErrorKind::kHost;
  int sys_errno = 0;       ///< 0 when the kernel was not asked
  std::string what;        ///< one line, no full stop
  std::string hint;        ///< the fix: one command or one line; empty when there is none
  std::string cause = {};  ///< why the host answers so, where that is known
};

template <typename T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> Fail(ErrorKind kind, std::string what, std::string hint = {}) {
  return tl::make_unexpected(Error{kind, 0, std::move(what), std::move(hint)});
}

}  // namespace asb
