// Bytes from one descriptor to another inside an event loop: never more than one piece in memory,
// never waiting for the slower side.
#pragma once

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

  /// True when there will be nothing more to read and everything was written, or nobody takes it.
  [[nodiscard]] bool IsOver() const { return !to_.IsOpen(); }
  /// True when something was read and not written yet.
  [[nodiscard]] bool HasPending() const { return to_.IsOpen() && !pending_.empty(); }
  /// True when the source has ended, whether or not its last bytes were written.
  [[nodiscard]] bool HasEnded() const { return !from_.IsOpen(); }

 private:
  void Read();
  void Write();

  Fd from_;
  DescriptorKind from_kind_;
  Fd to_;
  DescriptorKind to_kind_;
  Change change_;
  std::string at_end_;
  std::string pending_;
  std::size_t written_ = 0;
  bool paused_ = false;
  int from_at_ = -1;  ///< places in the list of the last Watch()
  int to_at_ = -1;
};

}  // namespace asb
