#include "session/relay.h"

#include <array>

namespace asb {
namespace {

// Small enough that an interrupt is not stuck behind a flood of output.
constexpr std::size_t kPiece = 16384;

}  // namespace

Relay::Relay(Fd from, DescriptorKind from_kind, Fd to, DescriptorKind to_kind, Change change)
    : from_(std::move(from)),
      from_kind_(from_kind),
      to_(std::move(to)),
      to_kind_(to_kind),
      change_(std::move(change)) {}

void Relay::Watch(std::vector<Watched>& watched) {
  from_at_ = to_at_ = -1;
  if (CouldRead() && !paused_) {
    from_at_ = static_cast<int>(watched.size());
    watched.push_back({from_.get(), true, false, false});
  }
  if (to_.IsOpen()) {
    to_at_ = static_cast<int>(watched.size());
    watched.push_back({to_.get(), false, splicing_ || !pending_.empty(), false});
  }
}

void Relay::Step(const std::vector<Watched>& watched) {
  if (from_at_ >= 0) {
    const Watched& from = watched[static_cast<std::size_t>(from_at_)];
    if (from.read || from.gone) {
      Splices() ? Splice(false) : Read();
    } else if (no_more_) {
      from_ = Fd();
    }
  }
  if (to_at_ >= 0 && to_.IsOpen()) {
    const Watched& to = watched[static_cast<std::size_t>(to_at_)];
    if (to.write) splicing_ ? Splice(true) : Write();
    // Nobody takes it: the writer on the other side has to learn that too.
    if (to.gone && !to.write) GiveUp();
  }
  if (!from_.IsOpen() && pending_.empty()) to_ = Fd();
}

/// Bytes that the kernel moves are never held here; whether the source had any is seen by trying.
void Relay::Splice(bool to_was_writable) {
  const Moved moved = SpliceSome(from_.get(), to_.get());
  // Nothing moved although there is room: somebody else has read the source.
  splicing_ = moved.again && !to_was_writable;
  if (moved.error != 0) write_error_ = moved.error;
  if (moved.ended) from_ = Fd();
}

void Relay::GiveUp() {
  to_ = Fd();
  from_ = Fd();
  pending_.clear();
  written_ = 0;
  splicing_ = false;
}

void Relay::Finish(std::int64_t milliseconds) {
  const std::int64_t until = Milliseconds() + milliseconds;
  while (to_.IsOpen() && !pending_.empty() && Milliseconds() < until) {
    std::vector<Watched> watched;
    Watch(watched);
    WaitForAny(watched, static_cast<int>(milliseconds));
    Step(watched);
  }
}

void Relay::Read() {
  std::array<char, kPiece> piece{};
  const Moved moved = ReadSome(from_.get(), piece.data(), piece.size(), from_kind_);
  if (moved.ended) {
    from_ = Fd();
    pending_ += at_end_;
  }
  const std::string_view in(piece.data(), moved.bytes);
  if (change_) {
    change_(in, pending_);
  } else {
    pending_ += in;
  }
}

void Relay::Write() {
  const Moved moved = WriteSome(to_.get(), std::string_view(pending_).substr(written_), to_kind_);
  written_ += moved.bytes;
  if (moved.error != 0) write_error_ = moved.error;
  if (moved.ended) return GiveUp();
  if (written_ < pending_.size()) return;
  pending_.clear();
  written_ = 0;
}

}  // namespace asb
