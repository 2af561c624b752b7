// Descriptors: what is behind one, pipes, memory, and which of them a new program gets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

enum class DescriptorKind : std::uint8_t {
  kClosed,
  kTerminal,
  kPipe,
  kNull,    ///< /dev/null, zero, full, random, urandom: by device number, not by name
  kFile,    ///< a regular file
  kSocket,  ///< a stream
  kDevice,  ///< any other device
  kFolder,
  kPathOnly,  ///< opened with O_PATH: a place and no stream
  kOther,
};

DescriptorKind KindOf(int fd);

/// Opens /dev/null on each of 0, 1 and 2 that is closed, so that nothing of ours lands there.
Result<void> FillStandardStreams();

/// A second descriptor for the same thing, above 2 and closed by exec.
Result<Fd> Duplicate(int fd);

/// An own opening of the terminal behind `fd` that never waits; a plain duplicate where the
/// terminal may not be opened again.
Result<Fd> ReopenWithoutWaiting(int fd);

/// Read end, write end.
Result<std::pair<Fd, Fd>> MakePipe();
void NeverWait(int fd);

/// Bytes in memory that nobody can change any more, to be read from the start.
Result<Fd> SealedMemory(const char* name, std::string_view bytes);
/// Everything in it, from the start; fails beyond `most`.
Result<std::string> ReadMemory(int fd, std::size_t most);

/// Everything from descriptor `number` (as written, "3") up to its end; fails beyond `most`.
Result<std::string> ReadDescriptor(const std::string& number, std::size_t most);

/// Opens a file for reading, following links; closed by exec.
Result<Fd> OpenForReading(const std::string& path);
Result<Fd> OpenNull();

/// Puts fds[i] at number i and closes every other descriptor: what the next program gets.
/// May reorder; each of `fds` must be open.
Result<void> KeepOnly(const std::vector<int>& fds);

/// The descriptor is closed when another program takes over.
void CloseOnExec(int fd);

/// Closes everything from `first` on.
void CloseFrom(int first);

/// What a read or a write came to.
struct Moved {
  std::size_t bytes = 0;
  bool again = false;  ///< nothing now, later perhaps
  bool ended = false;  ///< end of data, or nobody to take it
  int error = 0;       ///< why it could not be written, when somebody would have taken it
};
/// Without waiting for sockets, whatever their flags.
Moved ReadSome(int fd, char* to, std::size_t room, DescriptorKind kind);
/// To a pipe never more than what fits without waiting, once it was found writable.
Moved WriteSome(int fd, std::string_view bytes, DescriptorKind kind);
/// From one pipe to another inside the kernel; never waits.
Moved SpliceSome(int from, int to);

struct Watched {
  int fd = -1;
  bool read = false;   ///< wanted, then: is so
  bool write = false;  ///< wanted, then: is so
  bool gone = false;   ///< error or hang-up
};
/// Waits for any of them, at most `milliseconds` (-1: for ever). False when the time is over.
bool WaitForAny(std::vector<Watched>& watched, int milliseconds);

/// Milliseconds on a clock that also runs while the machine sleeps.
std::int64_t Milliseconds();

}  // namespace asb
