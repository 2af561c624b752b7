// Bytes from one descriptor to another inside an event loop: never more than one piece in memory,
// never waiting for the slower side.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/descriptors.h"
#include "sys/fd.h"

namespace asb {

class Relay {
 public:
  /// Appends what becomes of a piece to `out`; without it pieces pass as they are.
  using Change = std::function<void(std::string_view in, std::string& out)>;

  Relay(Fd from, DescriptorKind from_kind, Fd to, DescriptorKind to_kind, Change change = {});

  /// A paused relay does not read; what it has read is still written.
  void Pause(bool paused) { paused_ = paused; }

  /// Written behind everything when the source has ended.
  void WriteAtEnd(std::string_view words) { at_end_ = words; }

  /// Adds what this relay waits for; Step() afterwards looks at the answers.
  void Watch(std::vector<Watched>& watched);
  void Step(const std::vector<Watched>& watched);

  /// Nobody is left who could write to the source: what is in it now is all there will be.
  void ExpectNoMore() { no_more_ = true; }
  /// True when Step() would read: then WaitForAny need not wait to find out that nothing is there.
  [[nodiscard]] bool CouldRead() const { return from_.IsOpen() && pending_.empty() && !splicing_; }

  /// Writes what has been read; gives up after `milliseconds`.
  void Finish(std::int64_t milliseconds);

  /// True when there will be nothing more to read and everything was written, or nobody takes it.
  [[nodiscard]] bool IsOver() const { return !to_.IsOpen(); }
  /// True when the source has ended, whether or not its last bytes were written.
  [[nodiscard]] bool HasEnded() const { return !from_.IsOpen(); }
  /// Why the last bytes could not be written, when that was not the reader's wish: ENOSPC, EIO.
  [[nodiscard]] int write_error() const { return write_error_; }

 private:
  [[nodiscard]] bool Splices() const {
    return from_kind_ == DescriptorKind::kPipe && to_kind_ == DescriptorKind::kPipe && !change_;
  }
  void Read();
  void Write();
  void Splice(bool to_was_writable);
  void GiveUp();

  Fd from_;
  DescriptorKind from_kind_;
  Fd to_;
  DescriptorKind to_kind_;
  Change change_;
  std::string at_end_;
  std::string pending_;
  std::size_t written_ = 0;
  bool paused_ = false;
  bool no_more_ = false;
  bool splicing_ = false;  ///< the source has data; the other side may be full
  int write_error_ = 0;
  int from_at_ = -1;  ///< places in the list of the last Watch()
  int to_at_ = -1;
};

}  // namespace asb
