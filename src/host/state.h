// The product's own folder on this host, $XDG_STATE_HOME/agent-sandbox, opened one component after
// the other and never through a link. It must be the caller's and closed to writers; entries in it
// that are not what they should be are set aside, never followed, read or waited for.
#pragma once

#include <string>
#include <string_view>

#include "base/path.h"
#include "base/result.h"
#include "sys/fd.h"

namespace asb {

enum class WhenNoState { kMake, kNothing };

/// The folder `name` of the state. With kNothing and no such folder, a descriptor that is not open.
/// An error says the cause and the fix.
Result<Fd> OpenStateFolder(const AbsolutePath& state, std::string_view name, WhenNoState when);

/// Opens the folder `name` in one of ours, made when it is missing. What is there and no folder of
/// the caller's is set aside. It is closed to everybody else.
Result<Fd> OpenOwnFolder(int folder, const std::string& name);

/// Gives `name` another name that no run uses; a later gc removes it.
Result<std::string> SetAside(int folder, const std::string& name);
bool IsSetAside(std::string_view name);

/// A regular file of the caller's, or nothing that could be opened.
Result<Fd> OpenOwnFile(int folder, const std::string& name);

/// What went wrong with `path` of the state, with a fix.
Error StateError(const std::string& path, const Error& error);

}  // namespace asb
