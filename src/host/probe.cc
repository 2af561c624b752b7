#include "host/probe.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "sys/files.h"
#include "sys/process.h"

namespace asb {
namespace {

constexpr std::size_t kMostNames = 65536;  // a folder to match a pattern in

FileKind KindOf(mode_t mode) {
  if (S_ISDIR(mode)) return FileKind::kFolder;
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISLNK(mode)) return FileKind::kLink;
  if (S_ISSOCK(mode)) return FileKind::kSocket;
  if (S_ISFIFO(mode)) return FileKind::kFifo;
  return FileKind::kDevice;
}

FileFact Ask(const AbsolutePath& path) {
  const Result<FileStatus> status = LookAt(path.text());
  if (!status) {
    const int error = status.error().sys_errno;
    // Anything but "not there" is a place where nobody could look: EACCES, EIO, ESTALE, ….
    const bool missing = error == ENOENT || error == ENAMETOOLONG;
    return {missing ? FileKind::kMissing : FileKind::kUnreadable, ""};
  }
  FileFact fact{KindOf(status->mode), ""};
  if (fact.kind == FileKind::kLink) {
    Result<std::string> target = ReadLink(path.text());
    if (!target) return {FileKind::kUnreadable, ""};
    fact.link_target = std::move(*target);
  }
  return fact;
}

/// A folder of the XDG kind: from the variable, or its default below the home folder.
Result<std::string> XdgFolder(const char* variable, const std::string& home,
                              std::string_view fallback) {
  const auto value = VariableValue(variable);
  if (!value || value->empty()) return fmt::format("{}/{}/agent-sandbox", home, fallback);
  if ((*value)[0] != '/') {
    return Fail(
        ErrorKind::kPolicy,
        fmt::format("{} is '{}', which is not an absolute path", variable, Printable(*value)),
        fmt::format("unset {}", variable));
  }
  return *value + "/agent-sandbox";
}

std::string ReadSwitch(const std::string& path) {
  Result<std::string> text = ReadRegularFile(path, 64);
  if (!text) return {};
  while (text->ends_with('\n')) text->pop_back();
  return *text;
}

/// What forbids user namespaces, as far as reading settings can tell.
std::string UsernsDenied() {
  struct Setting {
    std::string_view name;
    std::string_view forbidding;
  };
  constexpr std::array<Setting, 3> kSettings{
      {{"user/max_user_namespaces", "0"},
       {"kernel/unprivileged_userns_clone", "0"},
       {"kernel/apparmor_restrict_unprivileged_userns", "1"}}};
  for (const Setting& setting : kSettings) {
    if (ReadSwitch(fmt::format("/proc/sys/{}", setting.name)) != setting.forbidding) continue;
    std::string shown(setting.name);
    shown.replace(shown.find('/'), 1, ".");
    return fmt::format("{} = {}", shown, setting.forbidding);
  }
  return {};
}

/// bubblewrap, where only root could have put it.
std::string FindBubblewrap() {
  for (const char* path : {"/usr/bin/bwrap", "/bin/bwrap"}) {
    const Result<FileStatus> status = LookAt(path);
    const bool safe = status && S_ISREG(status->mode) && status->owner == 0 &&
                      (status->mode & (S_IWGRP | S_IWOTH)) == 0 && (status->mode & S_IXOTH) != 0;
    if (safe) return path;
  }
  return {};
}

}  // namespace

Result<HostFacts> ProbeMachine() {
  Result<User> user = CurrentUser();
  if (!user) return tl::make_unexpected(user.error());
  Result<std::string> config = XdgFolder("XDG_CONFIG_HOME", user->home, ".config");
  if (!config) return tl::make_unexpected(config.error());
  Result<std::string> state = XdgFolder("XDG_STATE_HOME", user->home, ".local/state");
  if (!state) return tl::make_unexpected(state.error());

  HostFacts facts;
  KernelNames kernel = Kernel();
  facts.kernel = std::move(kernel.release);
  facts.architecture = std::move(kernel.machine);
  facts.landlock_abi = LandlockAbi();
  facts.userns_denied = UsernsDenied();
  facts.engines.push_back({"bubblewrap", FindBubblewrap()});
  facts.user = {user->uid, user->gid, std::move(user->name), std::move(user->home),
                std::move(user->shell)};
  // Gone or out of reach: a run that names its workspace does not need it.
  facts.current_directory = CurrentDirectory().value_or("");
  facts.config_folder = std::move(*config);
  facts.state_folder = std::move(*state);
  facts.environment = VariableNames();
  return facts;
}

FileFact LookingSource::Look(const AbsolutePath& path) {
  const auto [known, first_look] = facts_.files.try_emplace(path);
  if (first_look) known->second = Ask(path);
  return known->second;
}

Result<Listing> LookingSource::List(const AbsolutePath& folder) {
  const auto known = facts_.listings.find(folder);
  if (known != facts_.listings.end()) return known->second;
  Listing listing;
  if (auto names = ListFolder(folder.text(), kMostNames)) {
    listing.names = std::move(*names);
  } else if (names.error().sys_errno == EOVERFLOW) {
    listing.problem = fmt::format("holds more than {} names", kMostNames);
  } else {
    listing.problem = fmt::format("cannot be listed: {}", names.error().what);
  }
  return facts_.listings.emplace(folder, std::move(listing)).first->second;
}

}  // namespace asb
