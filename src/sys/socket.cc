#include "sys/socket.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>

#include "sys/error.h"

namespace asb {
namespace {

constexpr std::size_t kMostFds = 8;

}  // namespace

Result<std::pair<Fd, Fd>> PacketPair() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return SysError();
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

Result<void> SendPacket(int socket, std::string_view bytes, std::span<const int> fds) {
  std::string copy(bytes);
  iovec part{copy.data(), copy.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (!fds.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
  }
  if (sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return SysError();
  return {};
}

bool IsPeerGone(int socket) {
  pollfd one{socket, 0, 0};
  return poll(&one, 1, 0) == 1 && (one.revents & POLLHUP) != 0;
}

Result<std::optional<Packet>> ReceivePacket(int socket, std::size_t most_bytes,
                                            std::size_t most_fds) {
  Packet packet;
  packet.bytes.resize(most_bytes);
  iovec part{packet.bytes.data(), packet.bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t got = -1;
  do {
    got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    // ECONNRESET, once: the other end left without reading everything. What it had sent before
    // comes next, and then the end.
  } while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0) return SysError();
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      packet.fds.emplace_back(fd);
    }
  }
  if (got == 0) return std::optional<Packet>();
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0 || packet.fds.size() > most_fds) {
    return SysError(EMSGSIZE);
  }
  packet.bytes.resize(static_cast<std::size_t>(got));
  return std::optional(std::move(packet));
}

}  // namespace asb
