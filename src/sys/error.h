// What the kernel answered, as an Error: the errno and its sentence. Callers add what they wanted.
#pragma once

#include <cerrno>
#include <cstring>

#include "base/result.h"

namespace asb {

inline tl::unexpected<Error> SysError(int error = errno) {
  return tl::make_unexpected(Error{ErrorKind::kHost, error, std::strerror(error), "", ""});
}

/// The same error, preceded by what was being done: "mounting /usr: Permission denied".
inline tl::unexpected<Error> During(std::string_view what, Error error) {
  error.what = std::string(what) + ": " + error.what;
  return tl::make_unexpected(std::move(error));
}

}  // namespace asb
