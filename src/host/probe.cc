#include "host/probe.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "host/accounts.h"
#include "host/hints.h"
#include "host/mount_table.h"
#include "host/tools.h"
#include "sys/files.h"
#include "sys/process.h"
#include "sys/trial.h"
#include "sys/user.h"

namespace asb {
namespace {

constexpr std::size_t kMostNames = 65536;   // a folder to match a pattern in
constexpr std::size_t kLongestLine = 4352;  // a path and a word in front of it
constexpr uid_t kUsualOverflowId = 65534;

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
  FileFact fact{KindOf(status->mode), "", status->has_other_names};
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
    if (ReadSetting(fmt::format("/proc/sys/{}", setting.name)) != setting.forbidding) continue;
    std::string shown(setting.name);
    shown.replace(shown.find('/'), 1, ".");
    return fmt::format("{} = {}", shown, setting.forbidding);
  }
  return {};
}

bool IsMapped(std::string_view uid_map, std::uint64_t id) {
  std::istringstream rows{std::string(uid_map)};
  std::uint64_t inside = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  while (rows >> inside >> outside >> count) {
    if (id >= inside && id - inside < count) return true;
  }
  return false;
}

/// The owner that the kernel shows for root's files, and for everybody else's who has no number
/// here, in a user namespace that does not know root. Nothing elsewhere.
std::optional<uid_t> UnknownOwner() {
  const auto map = ReadRegularFile("/proc/self/uid_map", std::size_t{1} << 16U);
  // Without /proc no run comes far, and that is then the reason to name.
  if (!map) return kUsualOverflowId;
  const std::string overflow = ReadSetting("/proc/sys/kernel/overflowuid");
  uid_t id = 0;
  const auto read = std::from_chars(overflow.data(), overflow.data() + overflow.size(), id);
  if (read.ec != std::errc() || IsMapped(*map, 0) || IsMapped(*map, id)) return {};
  return id;
}

/// Root's, and nobody else may change it.
bool IsRootsAlone(const std::string& path) {
  const Result<FileStatus> status = LookAt(path);
  if (!status || (status->mode & (S_IWGRP | S_IWOTH)) != 0) return false;
  return status->owner == 0 || (status->owner == UnknownOwner() && !MayWrite(path));
}

std::vector<std::string> SearchFolders() {
  return AbsoluteFolders(VariableValue("PATH").value_or(""));
}

/// A bwrap of the caller's PATH that others than root could have put there.
std::string FindUnsafeBubblewrap() {
  for (const std::string& folder : SearchFolders()) {
    const std::string file = folder + "/bwrap";
    const Result<FileStatus> found = LookAt(file);
    if (!found) continue;
    const bool link = S_ISLNK(found->mode);  // everybody may write one; its folder says who does
    if (!link && !S_ISREG(found->mode)) continue;
    if (!IsRootsAlone(folder + "/.") || (!link && !IsRootsAlone(file))) return file;
  }
  return {};
}

/// bubblewrap, where only root could have put it. Whether it works is found out by running it.
EngineFacts FindBubblewrap() {
  EngineFacts engine{"bubblewrap", "", ""};
  for (const char* path : {"/usr/bin/bwrap", "/bin/bwrap"}) {
    const Result<FileStatus> status = LookAt(path);
    if (!status || !S_ISREG(status->mode)) continue;
    if (IsRootsAlone(path)) return {"bubblewrap", path, ""};
    if (engine.unsafe_path.empty()) engine.unsafe_path = path;
  }
  if (engine.unsafe_path.empty()) engine.unsafe_path = FindUnsafeBubblewrap();
  return engine;
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
  facts.engines.push_back(FindBubblewrap());
  facts.user = {user->uid,
                user->gid,
                std::move(user->name),
                std::move(user->home),
                std::move(user->shell),
                std::move(user->real_name)};
  // Gone or out of reach: a run that names its workspace does not need it.
  facts.current_directory = CurrentDirectory().value_or("");
  facts.config_folder = std::move(*config);
  facts.state_folder = std::move(*state);
  facts.runtime_folder = VariableValue("XDG_RUNTIME_DIR").value_or("");
  facts.own_programs = OwnPrograms();
  facts.search_path = SearchFolders();
  facts.environment = VariableNames();
  ProbeAccounts(facts);
  Result<std::vector<MountFact>> mounts = ReadMountTable();
  if (!mounts) return tl::make_unexpected(mounts.error());
  facts.mounts = std::move(*mounts);
  return facts;
}

FileFact LookingSource::Look(const AbsolutePath& path) {
  const auto [known, first_look] = facts_.files.try_emplace(path);
  if (first_look) known->second = Ask(path);
  return known->second;
}

std::string LookingSource::FirstLine(const AbsolutePath& file, std::string_view start) {
  const auto [known, first_look] = facts_.first_lines.try_emplace(file);
  if (first_look) {
    std::string line = ReadFirstLine(file.text(), kLongestLine).value_or("");
    if (line.starts_with(start)) known->second = std::move(line);
  }
  return known->second.starts_with(start) ? known->second : std::string();
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
