// What the kernel answered, as an Error: the errno and its sentence. Callers add what they wanted.
#pragma once

#include <cerrno>
#include <cstring>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

inline tl::unexpected<Error> SysError(int error = errno) {
  return tl::make_unexpected(Error{ErrorKind::kHost, error, std::strerror(error), "", ""});
}

/// The same error, preceded by what was being done: "mounting /usr: Permission denied".
inline tl::unexpected<Error> During(std::string_view what, Error error) {
  error.what = std::string(what) + ": " + error.what;
  return tl::make_unexpected(std::move(error));
}

/// A descriptor that the kernel gave, or why it gave none.
inline Result<Fd> Owned(long fd) {
  if (fd < 0) return SysError();
  return Fd(static_cast<int>(fd));
}

/// The answer of a call that gives nothing but success.
inline Result<void> Done(long answer) {
  if (answer < 0) return SysError();
  return {};
}

}  // namespace asb
