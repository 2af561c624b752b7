// Standard input, output and error of the caller, and how each of them reaches the command.
#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"
#include "policy/policy.h"
#include "sys/descriptors.h"

namespace asb {

enum class StreamWay : std::uint8_t {
  kAsIs,      ///< handed in: /dev/null leads nowhere else
  kTerminal,  ///< the sandbox's own terminal stands for it
  kRelay,  ///< a pipe of ours stands for it: the thing itself could be opened anew, the other way
};

struct Stream {
  DescriptorKind kind = DescriptorKind::kNull;
  StreamWay way = StreamWay::kRelay;
};
using Streams = std::array<Stream, 3>;

/// Decides for 0, 1 and 2. Refuses what is no stream: through a folder the command would open the
/// host's files.
Result<Streams> ChooseWays(Tty wanted, const std::array<DescriptorKind, 3>& kinds);

/// The sandbox's terminal stands for one of the person's; another one is reached through a pipe.
void KeepOneTerminal(Streams& streams);

}  // namespace asb
