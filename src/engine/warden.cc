#include "engine/warden.h"

#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "base/text.h"
#include "engine/restore.h"
#include "sys/descriptors.h"
#include "sys/error.h"
#include "sys/namespaces.h"
#include "sys/signals.h"
#include "sys/socket.h"
#include "sys/terminal.h"
#include "sys/watch.h"
#include "wire/bytes.h"
#include "wire/message.h"

namespace asb {
namespace {

constexpr std::int64_t kTimeToLeave = 2000;  // ms
constexpr std::size_t kFewPaths = 64;        // that are looked at faster than a name arrives
constexpr int kTimeForNames = 1;             // ms
constexpr int kTimeToSettle = 1;             // ms

std::string Encode(const Warden::Word& word) {
  ByteWriter out;
  out.Byte(static_cast<std::uint8_t>(word.kind));
  out.Number(word.index);
  out.Number(word.count);
  out.Number(static_cast<std::uint32_t>(word.sys_errno));
  out.Text(std::string_view(word.what).substr(0, kMostText));
  return out.Take();
}

std::optional<Warden::Word> Decode(std::string_view bytes) {
  ByteReader in(bytes);
  Warden::Word word;
  const std::uint8_t kind = in.Byte();
  word.kind = static_cast<Warden::Word::Kind>(kind);
  word.index = in.Number();
  word.count = in.Number();
  word.sys_errno = static_cast<int>(in.Number());
  word.what = in.Text();
  if (!in.AtEnd() || kind >= static_cast<std::uint8_t>(Warden::Word::Kind::kGone)) return {};
  return word;
}

[[noreturn]] void Fail(int socket, const Error& error) {
  const Warden::Word word{Warden::Word::Kind::kFailed, 0, 0, error.sys_errno, error.what};
  (void)SendPacket(socket, Encode(word));
  EndNow(1);
}

/// The process itself.
class Watchman {
 public:
  Watchman(const std::vector<Guarded>& guarded, int socket) : guarded_(guarded), socket_(socket) {}

  [[noreturn]] void Main(pid_t parent);

 private:
  /// A protected path, or a folder on the way to one.
  struct Spot {
    std::optional<std::size_t> guarded;
    bool holds_more = false;
    int watch = -1;
  };
  using Spots = std::map<AbsolutePath, Spot>;  // so that folders come before what is in them

  Result<void> Begin(pid_t parent);
  void LayOut();
  Result<void> Enter(Fd mount_namespace, pid_t parent);
  Result<void> Round();
  Result<void> TakeNames(std::set<AbsolutePath>& paths);
  Result<void> Check(Spots::iterator first, Spots::iterator last);
  Result<void> CheckAll() { return Check(spots_.begin(), spots_.end()); }
  Result<void> CheckBelow(Spots::iterator spot);
  Result<void> KeepWatch(const AbsolutePath& path, Spot& spot, int place);
  void ForgetWatch(const AbsolutePath& path, Spot& spot);
  void Tell();
  [[noreturn]] void Leave();

  const std::vector<Guarded>& guarded_;
  int socket_;
  Fd proc_;
  Fd watches_;
  Fd table_;
  Restorer restorer_;
  Spots spots_;
  std::map<int, std::set<AbsolutePath>> watched_;  ///< watch → the paths that lead to its folder
  std::set<AbsolutePath> unsettled_;               ///< to be looked at again very soon
  std::map<std::size_t, std::uint32_t> to_tell_;   ///< of guarded_ → how often it was covered again
};

void Watchman::Main(pid_t parent) {
  Result<void> done = Begin(parent);
  while (done) done = Round();
  Fail(socket_, done.error());
}

Result<void> Watchman::Begin(pid_t parent) {
  auto proc = OpenProc();
  if (!proc) return During("opening /proc", proc.error());
  proc_ = std::move(*proc);
  auto watches = NewWatches();
  if (!watches) return During("starting to watch", watches.error());
  watches_ = std::move(*watches);
  LayOut();
  auto packet = ReceivePacket(socket_, kMostMessage, 1);
  if (!packet || !*packet || (*packet)->fds.size() != 1) EndNow(0);  // there is no run any more
  if (auto done = Enter(std::move((*packet)->fds[0]), parent); !done) {
    return During("entering the view", done.error());
  }
  if (auto done = CheckAll(); !done) return done;
  Tell();
  return SendPacket(socket_, Encode(Warden::Word{Warden::Word::Kind::kReady, 0, 0, 0, ""}));
}

void Watchman::LayOut() {
  for (std::size_t i = 0; i < guarded_.size(); ++i) {
    const Guarded& one = guarded_[i];
    spots_[one.path].guarded = i;
    for (AbsolutePath at = one.path; at != one.root;) {
      at = at.Parent();
      spots_[at].holds_more = true;
    }
  }
}

Result<void> Watchman::Enter(Fd mount_namespace, pid_t parent) {
  const auto owner = OwnerOf(mount_namespace.get());
  if (!owner) return tl::make_unexpected(owner.error());
  if (auto done = EnterUserNamespace(owner->get()); !done) return done;
  // Not before: the kernel undoes both when a process gains capabilities.
  if (auto done = MakeUndumpable(); !done) return done;
  if (!DieWithParent(parent)) EndNow(0);
  if (auto done = restorer_.Enter(std::move(mount_namespace), proc_.get()); !done) return done;
  auto table = OpenMountTable(proc_.get());
  if (!table) return During("opening the table of mounts", table.error());
  table_ = std::move(*table);
  return {};
}

/// Waits for a name that appears, for a mount that goes, or for the end.
Result<void> Watchman::Round() {
  std::vector<Watched> watched{
      {socket_, true, !to_tell_.empty()}, {watches_.get(), true}, {table_.get(), false}};
  const std::vector<Watched> wanted = watched;
  if (!WaitForAny(watched, 0)) {
    // Only now: a command that is over at once needs none of it.
    if (auto done = restorer_.Prepare(); !done) return done;
    watched = wanted;
    WaitForAny(watched, unsettled_.empty() ? -1 : kTimeToSettle);
  }
  if (watched[0].read || watched[0].gone) Leave();
  // The table does not say which mount has gone; the name, which follows at once, does.
  if (watched[2].gone && !watched[1].read && guarded_.size() > kFewPaths) {
    std::vector<Watched> names{{watches_.get(), true}};
    WaitForAny(names, kTimeForNames);
    watched[1].read = names[0].read;
  }
  std::set<AbsolutePath> paths = std::exchange(unsettled_, {});
  if (watched[1].read) {
    if (auto done = TakeNames(paths); !done) return done;
  }
  for (const AbsolutePath& path : paths) {
    if (auto done = CheckBelow(spots_.find(path)); !done) return done;
  }
  if (watched[2].gone) {
    if (auto done = CheckAll(); !done) return done;
  }
  Tell();
  return {};
}

/// Adds the paths whose names have appeared.
Result<void> Watchman::TakeNames(std::set<AbsolutePath>& paths) {
  const News news = TakeNews(watches_.get());
  if (news.lost) return CheckAll();
  for (const Appeared& one : news.names) {
    const auto folders = watched_.find(one.watch);
    if (folders == watched_.end()) continue;
    for (const AbsolutePath& folder : folders->second) {
      const AbsolutePath path = folder.Child(one.name);
      if (spots_.contains(path)) paths.insert(path);
    }
  }
  return {};
}

Result<void> Watchman::CheckBelow(Spots::iterator spot) {
  auto end = spot;
  while (end != spots_.end() && end->first.IsWithin(spot->first)) ++end;
  return Check(spot, end);
}

/// Folders come first and are watched before anything in them is looked at: what appears in between
/// is heard of.
Result<void> Watchman::Check(Spots::iterator first, Spots::iterator last) {
  for (auto at = first; at != last; ++at) {
    auto& [path, spot] = *at;
    if (spot.holds_more) {
      auto place = restorer_.Open(path);
      Result<void> done = place ? KeepWatch(path, spot, place->get())
                                : Result<void>(tl::make_unexpected(place.error()));
      if (!done) return During(fmt::format("watching '{}'", Printable(path.text())), done.error());
    }
    if (!spot.guarded) continue;
    const auto ensured = restorer_.Ensure(path, guarded_[*spot.guarded].guard);
    if (!ensured) {
      return During(fmt::format("covering '{}' again", Printable(path.text())), ensured.error());
    }
    if (ensured->times > 0) to_tell_[*spot.guarded] += ensured->times;
    if (!ensured->settled) unsettled_.insert(path);
  }
  return {};
}

Result<void> Watchman::KeepWatch(const AbsolutePath& path, Spot& spot, int place) {
  if (place < 0) {
    ForgetWatch(path, spot);
    return {};
  }
  const auto watch = WatchFolder(watches_.get(), place);
  if (!watch) {
    const int error = watch.error().sys_errno;
    // No folder, or gone again: whatever comes in its place, the folder above tells. One that may
    // not be read is not the user's; a mount that goes is heard of all the same.
    if (error != ENOTDIR && error != ENOENT && error != EACCES) {
      return tl::make_unexpected(watch.error());
    }
    ForgetWatch(path, spot);
    return {};
  }
  if (*watch == spot.watch) return {};
  ForgetWatch(path, spot);
  spot.watch = *watch;
  watched_[*watch].insert(path);
  return {};
}

void Watchman::ForgetWatch(const AbsolutePath& path, Spot& spot) {
  const auto found = watched_.find(std::exchange(spot.watch, -1));
  if (found == watched_.end()) return;
  found->second.erase(path);
  if (!found->second.empty()) return;
  Unwatch(watches_.get(), found->first);
  watched_.erase(found);
}

/// What does not fit now is told later: nothing here waits for the supervisor, which may be
/// stopped.
void Watchman::Tell() {
  while (!to_tell_.empty()) {
    const auto [index, count] = *to_tell_.begin();
    const Warden::Word word{Warden::Word::Kind::kRestored, static_cast<std::uint32_t>(index), count,
                            0, ""};
    const auto sent = SendPacket(socket_, Encode(word));
    if (!sent && sent.error().sys_errno == EAGAIN) return;
    if (!sent) EndNow(0);
    to_tell_.erase(to_tell_.begin());
  }
}

void Watchman::Leave() {
  const std::int64_t until = Milliseconds() + kTimeToLeave;
  for (Tell(); !to_tell_.empty() && Milliseconds() < until; Tell()) {
    std::vector<Watched> watched{{socket_, false, true}};
    WaitForAny(watched, static_cast<int>(kTimeToLeave));
    if (watched[0].gone) break;
  }
  EndNow(0);
}

[[noreturn]] void RunWarden(const std::vector<Guarded>& guarded, int socket, pid_t parent) {
  constexpr int kSocketFd = 3;
  SetProcessName("asb-warden");
  // An interrupt typed at the terminal is not for it, and where the kernel shares the processor by
  // session, it has a share of its own.
  StartSession();
  IgnoreTerminalSignals();
  PreferShortTurns();
  if (!DieWithParent(parent)) EndNow(0);
  auto null = OpenNull();
  // Above all the control socket goes: held here, it would keep the sandbox alive.
  const auto kept = null ? KeepOnly({null->get(), null->get(), null->get(), socket})
                         : Result<void>(tl::make_unexpected(null.error()));
  if (!kept) Fail(socket, During("starting the warden", kept.error()).value());
  Watchman(guarded, kSocketFd).Main(parent);
}

}  // namespace

Result<Warden> Warden::Start(const std::vector<Guarded>& guarded) {
  auto sockets = PacketPair();
  if (!sockets) return tl::make_unexpected(sockets.error());
  const pid_t parent = MyPid();
  auto child = Child::Fork();
  if (!child) return tl::make_unexpected(child.error());
  if (child->IsChild()) RunWarden(guarded, sockets->second.get(), parent);
  Warden warden;
  warden.child_ = std::move(*child);
  warden.socket_ = std::move(sockets->first);
  return warden;
}

Result<void> Warden::Watch(int mount_namespace) {
  return SendPacket(socket_.get(), "watch", std::span(&mount_namespace, 1));
}

Warden::Word Warden::Take() {
  const auto packet = ReceivePacket(socket_.get(), kMostMessage, 0);
  if (!packet || !*packet) return {};
  return Decode((*packet)->bytes).value_or(Word());
}

void Warden::Dismiss() {
  if (IsRunning()) (void)SendPacket(socket_.get(), "leave");
}

std::vector<Warden::Word> Warden::Collect() {
  std::vector<Word> words;
  if (!IsRunning()) return words;
  const std::int64_t until = Milliseconds() + kTimeToLeave;
  while (Milliseconds() < until) {
    std::vector<Watched> watched{{socket_.get(), true}};
    if (!WaitForAny(watched, static_cast<int>(kTimeToLeave))) break;
    words.push_back(Take());
    if (words.back().kind == Word::Kind::kGone) break;
  }
  child_.Kill();
  child_.Wait();
  return words;
}

}  // namespace asb
