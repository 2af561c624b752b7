#include "session/streams.h"

#include <gtest/gtest.h>

namespace asb {
namespace {

using enum DescriptorKind;
using Kinds = std::array<DescriptorKind, 3>;

std::array<StreamWay, 3> Ways(Tty wanted, const Kinds& kinds) {
  const auto streams = ChooseWays(wanted, kinds);
  EXPECT_TRUE(streams);
  return {(*streams)[0].way, (*streams)[1].way, (*streams)[2].way};
}

TEST(Streams, NullPassesTerminalsAreReplacedTheRestIsRelayed) {
  const auto ways = Ways(Tty::kAuto, {kPipe, kTerminal, kFile});
  EXPECT_EQ(ways[0], StreamWay::kRelay);
  EXPECT_EQ(ways[1], StreamWay::kTerminal);
  EXPECT_EQ(ways[2], StreamWay::kRelay);
  const auto others = Ways(Tty::kAuto, {kSocket, kNull, kDevice});
  EXPECT_EQ(others[0], StreamWay::kRelay);
  EXPECT_EQ(others[1], StreamWay::kAsIs);
  EXPECT_EQ(others[2], StreamWay::kRelay);
}

TEST(Streams, NoTerminalMeansPipesForTerminals) {
  const auto ways = Ways(Tty::kNever, {kTerminal, kTerminal, kPipe});
  EXPECT_EQ(ways[0], StreamWay::kRelay);
  EXPECT_EQ(ways[1], StreamWay::kRelay);
  EXPECT_EQ(ways[2], StreamWay::kRelay);
}

TEST(Streams, ATerminalAlwaysMeansOnAllOfThem) {
  for (const StreamWay way : Ways(Tty::kAlways, {kPipe, kFile, kNull})) {
    EXPECT_EQ(way, StreamWay::kTerminal);
  }
}

// TT-07: through a folder, or a place opened without reading, the host's files can be opened.
TEST(Streams, TT_07_FoldersAndPlacesAreRefusedWhereverTheyAre) {
  for (const DescriptorKind kind : {kFolder, kPathOnly}) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (const Tty wanted : {Tty::kAuto, Tty::kAlways, Tty::kNever}) {
        Kinds kinds{kPipe, kPipe, kPipe};
        kinds[i] = kind;
        const auto streams = ChooseWays(wanted, kinds);
        ASSERT_FALSE(streams);
        EXPECT_EQ(streams.error().kind, ErrorKind::kHost);
        EXPECT_FALSE(streams.error().hint.empty());
      }
    }
  }
}

}  // namespace
}  // namespace asb
