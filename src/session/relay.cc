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
  const bool pending = !pending_.empty();
  if (from_.IsOpen() && !pending && !paused_) {
    from_at_ = static_cast<int>(watched.size());
    watched.push_back({from_.get(), true, false, false});
  }
  if (to_.IsOpen()) {
    to_at_ = static_cast<int>(watched.size());
    watched.push_back({to_.get(), false, pending, false});
  }
}

void Relay::Step(const std::vector<Watched>& watched) {
  if (from_at_ >= 0) {
    const Watched& from = watched[static_cast<std::size_t>(from_at_)];
    if (from.read || from.gone) Read();
  }
  if (to_at_ >= 0) {
    const Watched& to = watched[static_cast<std::size_t>(to_at_)];
    if (to.write || !pending_.empty()) Write();
    // Nobody takes it: the writer on the other side has to learn that too.
    if (to.gone && !to.write) {
      to_ = Fd();
      from_ = Fd();
    }
  }
  if (!from_.IsOpen() && pending_.empty()) to_ = Fd();
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
  if (moved.ended) {
    to_ = Fd();
    from_ = Fd();
  }
  if (written_ == pending_.size() || moved.ended) {
    pending_.clear();
    written_ = 0;
  }
}

}  // namespace asb
