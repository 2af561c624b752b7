#include "session/streams.h"

#include <fmt/format.h>

#include <string_view>

#include "plan/causes.h"
#include "sys/terminal.h"

namespace asb {
namespace {

constexpr std::array<std::string_view, 3> kNames{"standard input", "standard output",
                                                 "standard error"};

StreamWay WayOf(DescriptorKind kind, Tty wanted) {
  if (wanted == Tty::kAlways) return StreamWay::kTerminal;
  switch (kind) {
    case DescriptorKind::kTerminal:
      return wanted == Tty::kNever ? StreamWay::kRelay : StreamWay::kTerminal;
    case DescriptorKind::kNull:
      return StreamWay::kAsIs;
    case DescriptorKind::kPipe:
    case DescriptorKind::kClosed:
    case DescriptorKind::kFile:
    case DescriptorKind::kSocket:
    case DescriptorKind::kDevice:
    case DescriptorKind::kFolder:
    case DescriptorKind::kPathOnly:
    case DescriptorKind::kOther:
      return StreamWay::kRelay;
  }
  return StreamWay::kRelay;
}

}  // namespace

Result<Streams> ChooseWays(Tty wanted, const std::array<DescriptorKind, 3>& kinds) {
  Streams streams;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const DescriptorKind kind = kinds[i];
    if (kind == DescriptorKind::kFolder || kind == DescriptorKind::kPathOnly) {
      return tl::make_unexpected(
          NotBuilt(fmt::format("{} is {}", kNames[i],
                               kind == DescriptorKind::kFolder ? "a folder"
                                                               : "a place opened without reading"),
                   {CauseId::kStreamIsPlace, ""}));
    }
    streams[i] = {kind, WayOf(kind, wanted)};
  }
  return streams;
}

void KeepOneTerminal(Streams& streams) {
  int first = -1;
  for (int i = 0; i < 3; ++i) {
    Stream& stream = streams[static_cast<std::size_t>(i)];
    if (stream.kind != DescriptorKind::kTerminal) continue;
    if (first < 0) first = i;
    if (!SameTerminal(first, i)) stream.way = StreamWay::kRelay;
  }
}

}  // namespace asb
