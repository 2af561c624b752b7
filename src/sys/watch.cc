#include "sys/watch.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "sys/error.h"

namespace asb {

Result<Fd> NewWatches() {
  Fd watches(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!watches.IsOpen()) return SysError();
  return watches;
}

Result<int> WatchFolder(int watches, int folder) {
  // There is no call that takes a descriptor.
  if (fchdir(folder) != 0) return SysError();
  const int watch = inotify_add_watch(watches, ".", IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
  if (watch < 0) return SysError();
  return watch;
}

void Unwatch(int watches, int watch) { inotify_rm_watch(watches, watch); }

News TakeNews(int watches) {
  News news;
  alignas(inotify_event) std::array<char, 65536> bytes{};
  const ssize_t got = read(watches, bytes.data(), bytes.size());
  for (std::size_t at = 0; got > 0 && at < static_cast<std::size_t>(got);) {
    inotify_event event{};
    std::memcpy(&event, bytes.data() + at, sizeof event);
    if ((event.mask & IN_Q_OVERFLOW) != 0) news.lost = true;
    // The name is padded with NUL.
    if (event.len > 0) news.names.push_back({event.wd, bytes.data() + at + sizeof event});
    at += sizeof event + event.len;
  }
  return news;
}

Result<Fd> OpenMountTable(int proc) {
  Fd table(openat(proc, "self/mountinfo", O_RDONLY | O_CLOEXEC));
  if (!table.IsOpen()) return SysError();
  return table;
}

}  // namespace asb
