#include "sys/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>

#include "sys/fd.h"

namespace asb {
namespace {

tl::unexpected<Error> Failed(int error) {
  return tl::make_unexpected(Error{ErrorKind::kHost, error, std::strerror(error), ""});
}

const char* TypeWord(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not a regular file";
}

enum class Links : bool { kFollow, kRefuse };

/// For reading, if it is a regular file. O_NONBLOCK: opening a FIFO that nobody writes must not
/// hang the launch. kRefuse: no link on the whole way, whoever put it there meanwhile.
Result<Fd> OpenRegular(const std::string& path, Links links) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_NO_SYMLINKS;
  Fd file(links == Links::kFollow
              ? open(path.c_str(), kFlags)
              : static_cast<int>(syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof how)));
  if (!file.IsOpen()) return Failed(errno);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return Failed(errno);
  if (!S_ISREG(status.st_mode)) return Fail(ErrorKind::kHost, TypeWord(status.st_mode));
  return file;
}

}  // namespace

Fd::~Fd() {
  if (fd_ >= 0) close(fd_);
}

Result<FileStatus> LookAt(const std::string& path) {
  struct stat status{};
  if (fstatat(AT_FDCWD, path.c_str(), &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) != 0) {
    return Failed(errno);
  }
  return FileStatus{status.st_mode, status.st_uid, S_ISREG(status.st_mode) && status.st_nlink > 1};
}

Result<std::string> ReadLink(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return Failed(errno);
  return std::string(target.data(), static_cast<std::size_t>(length));
}

Result<std::vector<std::string>> ListFolder(const std::string& path, std::size_t most) {
  const auto close_folder = [](DIR* folder) { closedir(folder); };
  const std::unique_ptr<DIR, decltype(close_folder)> folder(opendir(path.c_str()), close_folder);
  if (folder == nullptr) return Failed(errno);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() >= most) return Failed(EOVERFLOW);
    names.emplace_back(name);
  }
  if (errno != 0) return Failed(errno);
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::string> ReadRegularFile(const std::string& path, std::size_t most) {
  const Result<Fd> file = OpenRegular(path, Links::kFollow);
  if (!file) return tl::make_unexpected(file.error());
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t got = read(file->get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed(errno);
    if (got == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
    if (text.size() > most) {
      return Fail(ErrorKind::kHost, fmt::format("larger than {} bytes", most));
    }
  }
}

Result<std::string> ReadFirstLine(const std::string& path, std::size_t most) {
  const Result<Fd> file = OpenRegular(path, Links::kRefuse);
  if (!file) return tl::make_unexpected(file.error());
  std::string text(most, '\0');
  const ssize_t got = pread(file->get(), text.data(), text.size(), 0);
  if (got < 0) return Failed(errno);
  text.resize(static_cast<std::size_t>(got));
  const std::size_t end = text.find('\n');
  if (end == std::string::npos && text.size() == most) return Failed(EOVERFLOW);
  return text.substr(0, end);
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace asb
