#include "host/tools.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "plan/causes.h"
#include "sys/files.h"

namespace asb {
namespace {

/// Where agent-sandbox-init has to be, for this program at `self`, which is free of links.
std::string PlaceOfInit(const std::string& self) {
  const std::string folder = self.substr(0, self.rfind('/'));
  if (!folder.ends_with("/bin")) return folder + "/agent-sandbox-init";
  const std::string prefix = folder.substr(0, folder.rfind('/'));
  return prefix + "/libexec/agent-sandbox/agent-sandbox-init";
}

}  // namespace

Result<std::string> FindInit() {
  const Result<std::string> self = ReadLink("/proc/self/exe");
  if (!self) {
    return tl::make_unexpected(
        NotBuilt(fmt::format("reading /proc/self/exe: {}", self.error().what),
                 {CauseId::kNoProc, ""}, self.error().sys_errno));
  }
  const Result<FileStatus> own = LookAt(*self);
  std::string path = PlaceOfInit(*self);
  const Result<FileStatus> found = LookAt(path);
  if (!found) {
    return tl::make_unexpected(
        NotBuilt("agent-sandbox-init is missing", {CauseId::kInitMissing, path}));
  }
  // Whoever can write it could as well write this program.
  const mode_t writable = found->mode & (S_IWGRP | S_IWOTH);
  const bool safe = own && S_ISREG(found->mode) &&
                    (found->owner == 0 || found->owner == own->owner) &&
                    (writable & ~own->mode) == 0;
  if (safe) return path;
  return tl::make_unexpected(
      NotBuilt("agent-sandbox-init cannot be trusted", {CauseId::kInitWritable, path}));
}

std::vector<std::string> OwnPrograms() {
  const Result<std::string> self = ReadLink("/proc/self/exe");
  if (!self || !LookAt(*self)) return {};  // replaced while it runs: then nothing is there to keep
  std::vector<std::string> out{*self};
  std::string init = PlaceOfInit(*self);
  if (LookAt(init)) out.push_back(std::move(init));
  return out;
}

}  // namespace asb
