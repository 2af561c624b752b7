#include "session/relay.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>

#include "sys/files.h"

namespace asb {
namespace {

/// Lets the relay do whatever it can do now.
void Turn(Relay& relay) {
  for (int i = 0; i < 64; ++i) {
    std::vector<Watched> watched;
    relay.Watch(watched);
    if (watched.empty() || !WaitForAny(watched, 0)) return;
    relay.Step(watched);
  }
}

std::string ReadAll(int fd) {
  NeverWait(fd);
  std::string out;
  std::array<char, 65536> piece{};
  for (;;) {
    const Moved moved = ReadSome(fd, piece.data(), piece.size(), DescriptorKind::kPipe);
    if (moved.bytes == 0) return out;
    out.append(piece.data(), moved.bytes);
  }
}

class RelayTest : public ::testing::Test {
 protected:
  std::pair<Fd, Fd> in_ = std::move(*MakePipe());
  std::pair<Fd, Fd> out_ = std::move(*MakePipe());

  std::unique_ptr<Relay> Make(Relay::Change change = {}) {
    NeverWait(out_.second.get());
    return std::make_unique<Relay>(std::move(in_.first), DescriptorKind::kPipe,
                                   std::move(out_.second), DescriptorKind::kPipe, change);
  }
};

TEST_F(RelayTest, BytesArriveAndTheEndIsPassedOn) {
  const auto relay = Make();
  ASSERT_TRUE(WriteAll(in_.second.get(), "hello"));
  Turn(*relay);
  EXPECT_EQ(ReadAll(out_.first.get()), "hello");
  EXPECT_FALSE(relay->IsOver());
  in_.second = Fd();
  Turn(*relay);
  EXPECT_TRUE(relay->IsOver());
  char byte = 0;
  EXPECT_TRUE(ReadSome(out_.first.get(), &byte, 1, DescriptorKind::kPipe).ended);
}

TEST_F(RelayTest, AReaderThatIsGoneEndsTheWriterToo) {
  const auto relay = Make();
  out_.first = Fd();
  Turn(*relay);
  EXPECT_TRUE(relay->IsOver());
  signal(SIGPIPE, SIG_IGN);
  EXPECT_TRUE(WriteSome(in_.second.get(), "x", DescriptorKind::kPipe).ended);
}

TEST_F(RelayTest, ASlowReaderStopsTheReadingAndNothingIsLost) {
  const auto relay = Make();
  NeverWait(in_.second.get());
  std::string sent;
  for (int i = 0; i < 400; ++i) {
    const std::string piece(1000, static_cast<char>('a' + i % 26));
    const Moved moved = WriteSome(in_.second.get(), piece, DescriptorKind::kPipe);
    sent += piece.substr(0, moved.bytes);
    Turn(*relay);
  }
  // Two pipes and one piece: that is all that is ever held.
  EXPECT_LT(sent.size(), std::size_t{160 * 1024});
  in_.second = Fd();
  std::string got;
  for (int i = 0; i < 100 && !relay->IsOver(); ++i) {
    got += ReadAll(out_.first.get());
    Turn(*relay);
  }
  got += ReadAll(out_.first.get());
  EXPECT_EQ(got, sent);
}

// What is in the pipe is all there will be: nobody waits for an end that a stranger holds open.
TEST_F(RelayTest, WithNobodyLeftToWriteItEndsWithoutAnEnd) {
  const auto relay = Make();
  ASSERT_TRUE(WriteAll(in_.second.get(), "last"));
  relay->ExpectNoMore();
  Turn(*relay);
  std::vector<Watched> watched;
  relay->Watch(watched);
  WaitForAny(watched, 0);
  relay->Step(watched);
  EXPECT_TRUE(relay->IsOver());
  EXPECT_EQ(ReadAll(out_.first.get()), "last");
}

TEST_F(RelayTest, AWriteThatFailsIsRemembered) {
  Fd sink(open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(sink.IsOpen());
  Relay relay(std::move(in_.first), DescriptorKind::kPipe, std::move(sink), DescriptorKind::kFile);
  ASSERT_TRUE(WriteAll(in_.second.get(), "important"));
  Turn(relay);
  EXPECT_TRUE(relay.IsOver());
  EXPECT_EQ(relay.write_error(), ENOSPC);
}

TEST_F(RelayTest, APausedRelayReadsNothing) {
  const auto relay = Make();
  relay->Pause(true);
  ASSERT_TRUE(WriteAll(in_.second.get(), "later"));
  Turn(*relay);
  EXPECT_EQ(ReadAll(out_.first.get()), "");
  relay->Pause(false);
  Turn(*relay);
  EXPECT_EQ(ReadAll(out_.first.get()), "later");
}

TEST_F(RelayTest, WhatIsChangedToNothingDoesNotEndIt) {
  const auto relay = Make([](std::string_view in, std::string& out) {
    for (const char c : in) {
      if (c != 'x') out += c;
    }
  });
  ASSERT_TRUE(WriteAll(in_.second.get(), "xxx"));
  Turn(*relay);
  EXPECT_FALSE(relay->IsOver());
  ASSERT_TRUE(WriteAll(in_.second.get(), "axb"));
  Turn(*relay);
  EXPECT_EQ(ReadAll(out_.first.get()), "ab");
}

}  // namespace
}  // namespace asb
