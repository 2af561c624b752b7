// Packets with descriptors between two processes of ours.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "sys/fd.h"

namespace asb {

/// Two ends that keep packets whole and tell when the other end is gone.
Result<std::pair<Fd, Fd>> PacketPair();

/// Sends one packet with copies of `fds`; never waits, never raises SIGPIPE.
Result<void> SendPacket(int socket, std::string_view bytes, std::span<const int> fds = {});

/// True when nobody is at the other end any more.
bool IsPeerGone(int socket);

struct Packet {
  std::string bytes;
  std::vector<Fd> fds;
};

/// One packet; nothing when the other end is gone. Waits unless `socket` is known to be readable.
/// More than `most_fds` descriptors or `most_bytes` bytes fail, and none of them stays open.
Result<std::optional<Packet>> ReceivePacket(int socket, std::size_t most_bytes,
                                            std::size_t most_fds);

}  // namespace asb
