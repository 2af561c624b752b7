#include "policy/gaps.h"

#include <algorithm>
#include <array>

namespace asb {
namespace {

constexpr std::array<GapSpec, 12> kGaps{{
    {GapId::kMaskRace, "mask-race",
     "When another program replaces a hidden or read-only path of a live folder, the kernel drops "
     "the mount over it: the new file is visible, or writable, for the moment until it is noticed "
     "and masked again; the end of the run says how often.",
     true},
    {GapId::kLateHide, "late-hide",
     "A path to hide that is missing at the start is hidden when it appears, and visible for the "
     "moment until that is noticed; a pattern covers what exists at the start, and what matches it "
     "later is visible.",
     true},
    {GapId::kLinkSwap, "link-swap",
     "A rule leads through a link that a run, this one or one in another workspace, can replace; a "
     "later run then shows or hides what the new link leads to.",
     true},
    {GapId::kPrelinked, "prelinked",
     "A hidden file, or one of agent-sandbox's own, has a second name (a hard link) somewhere: "
     "where "
     "that name is shown, so is the file.",
     true},
    {GapId::kWorkTree, "work-tree",
     "The repository of a git work tree is shown because it leads back to the workspace; a run "
     "there "
     "and a run here could together have made it do so.",
     true},
    {GapId::kRunLater, "run-later",
     "Files that programs outside run or believe later (git hooks and settings, editor tasks, "
     "build "
     "scripts) can be written where the workspace can.",
     true},
    {GapId::kSyscalls, "syscalls",
     "No system call filter: the command can ask the kernel for anything an ordinary process can.",
     true},
    {GapId::kMemoryTotal, "memory-total", "The memory of all processes together is not limited.",
     true},
    {GapId::kCpu, "cpu", "The processor time of all processes together is not limited.", true},
    {GapId::kDiskWorkspace, "disk-workspace",
     "What is written into the workspace and other writable folders is not limited.", true},
    {GapId::kFdPassing, "fd-passing",
     "Runs that share a writable folder can hand each other open files through a socket in it.",
     true},
    {GapId::kUserLimits, "user-limits",
     "What the kernel counts for the user as a whole (keys, descriptors on their way through a "
     "socket) is shared with the host, and a command can use it up.",
     true},
}};

}  // namespace

std::span<const GapSpec> AllGaps() { return kGaps; }

const GapSpec& SpecOf(GapId id) { return kGaps[static_cast<std::size_t>(id)]; }

const GapSpec* FindGap(std::string_view name) {
  const auto* found =
      std::find_if(kGaps.begin(), kGaps.end(), [name](const GapSpec& g) { return g.name == name; });
  return found == kGaps.end() ? nullptr : found;
}

std::span<const std::string_view> GapNames() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kGaps.size()> names;
    for (std::size_t i = 0; i < kGaps.size(); ++i) names[i] = kGaps[i].name;
    return names;
  }();
  return kNames;
}

}  // namespace asb
