#include "sys/descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <ctime>

#include "sys/error.h"
#include "sys/files.h"

namespace asb {
namespace {

/// The devices that give nothing and take everything: null, zero, full, random, urandom.
bool IsHarmless(dev_t device) {
  constexpr std::array<unsigned, 5> kMinors{3, 5, 7, 8, 9};
  return major(device) == 1 &&
         std::find(kMinors.begin(), kMinors.end(), minor(device)) != kMinors.end();
}

Result<Fd> Owned(int fd) {
  if (fd < 0) return SysError();
  return Fd(fd);
}

Moved AsMoved(ssize_t answer, bool zero_ends) {
  if (answer > 0) return {static_cast<std::size_t>(answer), false, false};
  if (answer == 0) return {0, !zero_ends, zero_ends};
  const bool again = errno == EAGAIN || errno == EINTR;
  const bool refused = !again && errno != EPIPE && errno != ECONNRESET;
  return {0, again, !again, refused ? errno : 0};
}

}  // namespace

DescriptorKind KindOf(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return DescriptorKind::kClosed;
  if ((flags & O_PATH) != 0) return DescriptorKind::kPathOnly;
  struct stat status{};
  if (fstat(fd, &status) != 0) return DescriptorKind::kOther;
  switch (status.st_mode & S_IFMT) {
    case S_IFIFO:
      return DescriptorKind::kPipe;
    case S_IFREG:
      return DescriptorKind::kFile;
    case S_IFSOCK:
      return DescriptorKind::kSocket;
    case S_IFDIR:
      return DescriptorKind::kFolder;
    case S_IFCHR:
      if (IsHarmless(status.st_rdev)) return DescriptorKind::kNull;
      return isatty(fd) == 1 ? DescriptorKind::kTerminal : DescriptorKind::kDevice;
    default:
      return DescriptorKind::kOther;
  }
}

Result<void> FillStandardStreams() {
  for (int fd = 0; fd <= 2; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // open() takes the lowest free number, and all below this one are taken.
    const int opened = open("/dev/null", O_RDWR);
    if (opened == fd) continue;
    if (opened > fd) close(opened);  // it was not free: some other fault
    return tl::make_unexpected(Error{ErrorKind::kHost, errno,
                                     "walls not built: /dev/null cannot stand for a closed stream",
                                     "start it with standard input, output and error open"});
  }
  return {};
}

Result<Fd> Duplicate(int fd) { return Owned(fcntl(fd, F_DUPFD_CLOEXEC, 3)); }

Result<Fd> ReopenWithoutWaiting(int fd) {
  const std::string name = fmt::format("/proc/self/fd/{}", fd);
  auto again = Owned(open(name.c_str(), O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  return again ? std::move(again) : Duplicate(fd);
}

Result<std::pair<Fd, Fd>> MakePipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return SysError();
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

void NeverWait(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

Result<Fd> SealedMemory(const char* name, std::string_view bytes) {
  auto memory = Owned(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memory) return memory;
  if (!WriteAll(memory->get(), bytes)) return SysError();
  if (lseek(memory->get(), 0, SEEK_SET) != 0) return SysError();
  if (fcntl(memory->get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) != 0) {
    return SysError();
  }
  return memory;
}

Result<std::string> ReadMemory(int fd, std::size_t most) {
  struct stat status{};
  if (fstat(fd, &status) != 0) return SysError();
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > most) return SysError(EFBIG);
  std::string bytes(size, '\0');
  std::size_t at = 0;
  while (at < size) {
    const ssize_t got = pread(fd, bytes.data() + at, size - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SysError();
    if (got == 0) return SysError(EIO);
    at += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<std::string> ReadDescriptor(const std::string& number, std::size_t most) {
  int fd = -1;
  const auto [end, problem] = std::from_chars(number.data(), number.data() + number.size(), fd);
  if (problem != std::errc() || end != number.data() + number.size()) return SysError(EBADF);
  std::string bytes;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = read(fd, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SysError();
    if (got == 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
    if (bytes.size() > most) return SysError(EFBIG);
  }
}

Result<Fd> OpenForReading(const std::string& path) {
  return Owned(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

Result<Fd> OpenNull() { return Owned(open("/dev/null", O_RDWR | O_CLOEXEC)); }

Result<void> KeepOnly(const std::vector<int>& fds) {
  const int count = static_cast<int>(fds.size());
  std::vector<int> safe;  // out of the way of the numbers to be filled
  for (const int fd : fds) {
    const int copy = fcntl(fd, F_DUPFD, count);
    if (copy < 0) return SysError();
    safe.push_back(copy);
  }
  for (int i = 0; i < count; ++i) {
    if (dup2(safe[static_cast<std::size_t>(i)], i) < 0) return SysError();
  }
  CloseFrom(count);
  return {};
}

void CloseOnExec(int fd) { fcntl(fd, F_SETFD, FD_CLOEXEC); }

void CloseFrom(int first) {
  if (syscall(SYS_close_range, static_cast<unsigned>(first), ~0U, 0U) == 0) return;
  const long most = sysconf(_SC_OPEN_MAX);
  for (int fd = first; fd < most; ++fd) close(fd);
}

Moved ReadSome(int fd, char* to, std::size_t room, DescriptorKind kind) {
  const bool socket = kind == DescriptorKind::kSocket;
  return AsMoved(socket ? recv(fd, to, room, MSG_DONTWAIT) : read(fd, to, room), true);
}

Moved WriteSome(int fd, std::string_view bytes, DescriptorKind kind) {
  const bool socket = kind == DescriptorKind::kSocket;
  if (kind == DescriptorKind::kPipe) bytes = bytes.substr(0, PIPE_BUF);
  return AsMoved(socket ? send(fd, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                        : write(fd, bytes.data(), bytes.size()),
                 false);
}

Moved SpliceSome(int from, int to) {
  constexpr std::size_t kMost = std::size_t{1} << 20U;
  return AsMoved(splice(from, nullptr, to, nullptr, kMost, SPLICE_F_NONBLOCK | SPLICE_F_MOVE),
                 true);
}

bool WaitForAny(std::vector<Watched>& watched, int milliseconds) {
  std::vector<pollfd> polled;
  polled.reserve(watched.size());
  for (const Watched& one : watched) {
    const int events = (one.read ? POLLIN : 0) | (one.write ? POLLOUT : 0);
    polled.push_back({one.fd, static_cast<short>(events), 0});
  }
  const int answer = poll(polled.data(), polled.size(), milliseconds);
  for (std::size_t i = 0; i < watched.size(); ++i) {
    const int got = answer > 0 ? polled[i].revents : 0;
    watched[i].read = (got & POLLIN) != 0;
    watched[i].write = (got & POLLOUT) != 0;
    watched[i].gone = (got & (POLLHUP | POLLERR | POLLNVAL)) != 0;
  }
  return answer != 0;
}

std::int64_t Milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace asb
