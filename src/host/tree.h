// Trees that an agent has written, measured and removed by descriptor: whatever their depth, names
// and modes, no link is followed, nothing that is mounted is entered, and at most four descriptors
// are open.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace asb {

struct TreeBudget {
  std::uint64_t entries = 200'000;
  std::int64_t milliseconds = 2'000;
};

struct TreeSize {
  std::uint64_t bytes = 0;  ///< of the disk
  std::uint64_t entries = 0;
  bool complete = true;  ///< false: there is more than this
};

TreeSize MeasureTree(int folder, const std::string& name, const TreeBudget& budget);

/// Removes the folder `name` and everything in it. Nobody else may be at work in it.
Result<void> RemoveTree(int folder, const std::string& name);

}  // namespace asb
