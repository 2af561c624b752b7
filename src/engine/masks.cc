#include "engine/masks.h"

#include <cstdint>
#include <utility>

#include "sys/mount.h"

namespace asb {
namespace {

constexpr mode_t kFolderMode = 0755;
constexpr std::uint64_t kBytes = std::uint64_t{1} << 20U;

}  // namespace

Result<Masks> MakeMasks(int place) {
  auto home = NewMemoryFolder(kFolderMode, kBytes);
  if (!home) return tl::make_unexpected(home.error());
  Result<void> done = Attach(home->get(), place);
  if (done) done = MakeFile(home->get(), "file", 0);
  if (done) done = MakeFolder(home->get(), "folder", 0);
  if (done) done = MakeReadOnly(home->get());
  if (!done) return tl::make_unexpected(done.error());
  Masks masks;
  for (auto [fd, name] : {std::pair(&masks.file, "file"), std::pair(&masks.folder, "folder")}) {
    auto opened = OpenPlace(home->get(), name);
    if (!opened) return tl::make_unexpected(opened.error());
    *fd = std::move(*opened);
  }
  return masks;
}

}  // namespace asb
