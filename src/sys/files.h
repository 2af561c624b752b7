// Looking at the host's files without following anything: one wrapper a question. Nothing here
// creates, and no wrapper blocks on a FIFO or a device.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace asb {

struct FileStatus {
  mode_t mode = 0;  ///< type and permissions, as st_mode
  uid_t owner = 0;
  bool has_other_names = false;  ///< a file with more than one hard link
};

/// The file itself, not what a link leads to. Error.sys_errno tells ENOENT from EACCES.
Result<FileStatus> LookAt(const std::string& path);

/// What a link says.
Result<std::string> ReadLink(const std::string& path);

/// The names in a folder, sorted, without "." and "..". Fails with EOVERFLOW beyond `most`.
Result<std::vector<std::string>> ListFolder(const std::string& path, std::size_t most);

/// The bytes of a regular file, read once. A FIFO, device, folder or socket is refused by name
/// before anything is read, and so is a file of more than `most` bytes.
Result<std::string> ReadRegularFile(const std::string& path, std::size_t most);

/// The first line of a regular file, without its end; nothing more is read than `most` bytes. No
/// link is followed, not even on the way.
Result<std::string> ReadFirstLine(const std::string& path, std::size_t most);

/// Writes all of `text`; false when the other side is gone or the disk is full.
[[nodiscard]] bool WriteAll(int fd, std::string_view text);

}  // namespace asb
