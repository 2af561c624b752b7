// The exit codes, in one place.
#pragma once

#include <array>
#include <string_view>

namespace asb {

enum ExitCode : int {
  kExitOk = 0,
  kExitUsage = 2,
  kExitPolicy = 3,
  kExitWallNotBuilt = 125,
  kExitNotExecutable = 126,
  kExitCommandNotFound = 127,
};

struct ExitMeaning {
  std::string_view code;
  std::string_view meaning;
};

/// As the documents print them.
inline constexpr std::array<ExitMeaning, 6> kExitMeanings{{
    {"2", "the command line makes no sense"},
    {"3", "a policy is wrong"},
    {"125", "a wall could not be built; nothing was run"},
    {"126", "the command cannot be executed"},
    {"127", "the command was not found"},
    {"other", "the command's own, or 128 and the number of its signal"},
}};

}  // namespace asb
