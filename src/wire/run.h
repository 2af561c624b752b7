// What init is to execute: handed to it in sealed memory, so that a hundred thousand variables fit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace asb {

struct Run {
  std::string version;  ///< of the program that wrote it; init refuses any other
  std::vector<std::string> argv;
  std::vector<std::string> environment;  ///< NAME=VALUE
  std::string folder;                    ///< where to start
  bool terminal = false;                 ///< make one, as the session's own
  std::array<bool, 3> on_terminal{};     ///< which of 0, 1, 2 it becomes; the others come as fds
  bool foreground = false;               ///< start in the foreground of the terminal
  bool guarded = false;                  ///< send the mount namespace before anything is executed

  friend bool operator==(const Run&, const Run&) = default;
};

inline constexpr std::size_t kMostRun = std::size_t{64} << 20U;

std::string Encode(const Run& run);
/// Nothing when the bytes are no run.
std::optional<Run> DecodeRun(std::string_view bytes);

}  // namespace asb
