// PID 1 of the sandbox.
#pragma once

namespace asb {

/// Takes the run from the control socket, executes it, reaps, and tells what happens. The end of
/// that socket is the end of everything inside. Does not return before that.
[[noreturn]] void RunInit();

}  // namespace asb
