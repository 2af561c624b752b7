#include "host/state.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/text.h"
#include "plan/causes.h"
#include "sys/error.h"
#include "sys/folders.h"
#include "sys/mount.h"
#include "sys/process.h"

namespace asb {
namespace {

constexpr mode_t kOwnMode = 0700;
constexpr std::string_view kAside = ".gone-";

bool IsOwnFolder(const NodeStatus& status) {
  return S_ISDIR(status.mode) && status.owner == CurrentIds().uid;
}

/// "is a link, or no folder"
std::string Problem(const Error& error) {
  if (error.sys_errno == ENOTDIR || error.sys_errno == ELOOP) return "is a link, or no folder";
  if (error.sys_errno != 0) return fmt::format("cannot be used: {}", error.what);
  return error.what;
}

/// One more component, made if `when` says so. Not open: it is missing.
Result<Fd> Step(int folder, const std::string& name, WhenNoState when) {
  auto opened = OpenFolderPlace(folder, name, Mounts::kCross);
  if (opened || opened.error().sys_errno != ENOENT) return opened;
  if (when == WhenNoState::kNothing) return Fd();
  if (auto made = MakeFolder(folder, name, kOwnMode); !made) {
    return tl::make_unexpected(made.error());
  }
  return OpenFolderPlace(folder, name, Mounts::kCross);
}

/// Down to `path`. Not open: it is missing.
Result<Fd> Walk(const AbsolutePath& path, WhenNoState when) {
  auto at = OpenRoot();
  if (!at) return tl::make_unexpected(StateError("/", at.error()));
  std::vector<AbsolutePath> way;
  for (AbsolutePath above = path; !above.IsRoot(); above = above.Parent()) way.push_back(above);
  for (auto step = way.rbegin(); step != way.rend(); ++step) {
    auto next = Step(at->get(), std::string(step->Name()), when);
    if (!next) return tl::make_unexpected(StateError(step->text(), next.error()));
    if (!next->IsOpen()) return next;
    at = std::move(next);
  }
  return at;
}

Result<void> CheckOwn(const std::string& path, int fd) {
  const auto status = StatusOf(fd);
  if (!status) return tl::make_unexpected(StateError(path, status.error()));
  Error problem;
  if (!IsOwnFolder(*status)) {
    problem.what = fmt::format("belongs to user {}", status->owner);
  } else if ((status->mode & (S_IWGRP | S_IWOTH)) != 0) {
    problem.what = "can be written by others";
    problem.hint = fmt::format("chmod go-w {}", ShellQuote(path));
  } else {
    return {};
  }
  return tl::make_unexpected(StateError(path, problem));
}

}  // namespace

Error StateError(const std::string& path, const Error& error) {
  const bool full = error.sys_errno == ENOSPC || error.sys_errno == EDQUOT;
  Error out = NotBuilt(fmt::format("'{}' {}", path, Problem(error)),
                       {full ? CauseId::kDiskFull : CauseId::kState, ""}, error.sys_errno);
  if (!error.hint.empty()) out.hint = error.hint;
  return out;
}

Result<Fd> OpenStateFolder(const AbsolutePath& state, std::string_view name, WhenNoState when) {
  auto place = Walk(state, when);
  if (!place || !place->IsOpen()) return place;
  if (auto own = CheckOwn(state.text(), place->get()); !own) {
    return tl::make_unexpected(own.error());
  }
  const AbsolutePath path = state.Child(name);
  auto inner = Step(place->get(), std::string(name), when);
  if (!inner) return tl::make_unexpected(StateError(path.text(), inner.error()));
  if (!inner->IsOpen()) return inner;
  if (auto own = CheckOwn(path.text(), inner->get()); !own) {
    return tl::make_unexpected(own.error());
  }
  auto opened = OpenFolder(place->get(), std::string(name), Mounts::kCross);
  if (!opened) return tl::make_unexpected(StateError(path.text(), opened.error()));
  return opened;
}

Result<Fd> OpenOwnFolder(int folder, const std::string& name) {
  const auto before = StatusIn(folder, name);
  const bool there = before && IsOwnFolder(*before);
  if (before && !there) {
    if (auto aside = SetAside(folder, name); !aside) return tl::make_unexpected(aside.error());
  }
  if (!there) {
    if (auto made = MakeFolder(folder, name, kOwnMode); !made) {
      return tl::make_unexpected(made.error());
    }
  }
  // Its owner, the agent, may have closed it to everybody.
  auto place = OpenFolderPlace(folder, name, Mounts::kCross);
  if (!place) return place;
  if (there && (before->mode & 07777) != kOwnMode) {
    if (auto done = SetMode(place->get(), kOwnMode); !done) {
      return tl::make_unexpected(done.error());
    }
  }
  return OpenFolder(folder, name, Mounts::kCross);
}

bool IsSetAside(std::string_view name) { return name.starts_with(kAside); }

Result<std::string> SetAside(int folder, const std::string& name) {
  const auto status = StatusIn(folder, name);
  if (!status) return tl::make_unexpected(status.error());
  for (int number = 1;; ++number) {
    std::string aside = fmt::format("{}{}-{}", kAside, status->inode, number);
    const auto done = Rename(folder, name, folder, aside, WhenTaken::kFail);
    if (done) return aside;
    if (done.error().sys_errno != EEXIST) return tl::make_unexpected(done.error());
  }
}

Result<Fd> OpenOwnFile(int folder, const std::string& name) {
  auto file = OpenFile(folder, name, FileUse::kRead);
  if (!file) return file;
  const auto status = StatusOf(file->get());
  if (!status) return tl::make_unexpected(status.error());
  if (!S_ISREG(status->mode) || status->owner != CurrentIds().uid) return SysError(EINVAL);
  return file;
}

}  // namespace asb
