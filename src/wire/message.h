// What the supervisor, the launcher and init say to each other over the control socket: one packet
// a message. Pure: bytes in, bytes out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace asb {

enum class MessageKind : std::uint8_t {
  // from the launcher or init
  kFailed = 1,   ///< a wall could not be built: text says the step, number is the errno
  kTerminal,     ///< the master of the sandbox's terminal comes with it
  kNamespace,    ///< the mount namespace of the command comes with it
  kReady,        ///< every wall stands; the command is next
  kNotExecuted,  ///< the command could not be executed: number is the errno
  kStopped,      ///< the command has stopped: number is the signal
  kExited,       ///< the command has ended: number is its exit code, or 256 and its signal
  // to the launcher
  kBuild = 63,  ///< the mounts of the plan come with it
  // to init
  kStart = 64,  ///< a run (wire/run.h) in memory and the standard streams come with it
  kGo,          ///< the terminal is set up: execute
  kSignal,      ///< number is sent to the command
  kContinue,    ///< continue the command; number 1: in the foreground of its terminal
};

/// How far a launch had come when it failed. The order is that of a launch.
enum class Phase : std::uint8_t {
  kNone,
  kNamespaces,  ///< making user, mount and network namespaces
  kIdentity,    ///< mapping the user
  kMounts,      ///< the first mount of all
  kView,        ///< showing and hiding files
  kNetwork,
  kEngine,  ///< executing bubblewrap
  kInit,    ///< inside, before the command
  kWarden,  ///< the first look at what is protected; never said by init
};

struct Message {
  MessageKind kind = MessageKind::kFailed;
  std::int32_t number = 0;
  Phase phase = Phase::kNone;  ///< of kFailed
  std::string text;            ///< cut to kMostText
};

/// The number of the control socket in the launcher's last step, in bubblewrap and in init.
inline constexpr int kControlFd = 3;
inline constexpr std::size_t kMostText = 8192;
inline constexpr std::size_t kMostMessage = kMostText + 16;
inline constexpr std::int32_t kKilledBy = 256;  ///< added to a signal in kExited

std::string Encode(const Message& message);
/// Nothing when the bytes are no message.
std::optional<Message> DecodeMessage(std::string_view bytes);

}  // namespace asb
