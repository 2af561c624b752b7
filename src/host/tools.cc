#include "host/tools.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "plan/causes.h"
#include "sys/files.h"

namespace asb {

Result<std::string> FindInit() {
  const Result<std::string> self = ReadLink("/proc/self/exe");
  if (!self) {
    return tl::make_unexpected(
        NotBuilt(fmt::format("reading /proc/self/exe: {}", self.error().what),
                 {CauseId::kNoProc, ""}, self.error().sys_errno));
  }
  const Result<FileStatus> own = LookAt(*self);
  const std::string folder = self->substr(0, self->rfind('/'));
  for (const char* place : {"agent-sandbox-init", "../libexec/agent-sandbox/agent-sandbox-init"}) {
    std::string path = fmt::format("{}/{}", folder, place);
    const Result<FileStatus> found = LookAt(path);
    if (!found) continue;
    // Whoever can write it could as well write this program.
    const mode_t writable = found->mode & (S_IWGRP | S_IWOTH);
    const bool safe = own && S_ISREG(found->mode) &&
                      (found->owner == 0 || found->owner == own->owner) &&
                      (writable & ~own->mode) == 0;
    if (safe) return path;
    return tl::make_unexpected(
        NotBuilt("agent-sandbox-init cannot be trusted", {CauseId::kInitWritable, path}));
  }
  return tl::make_unexpected(
      NotBuilt("agent-sandbox-init is missing", {CauseId::kInitMissing, *self}));
}

}  // namespace asb
