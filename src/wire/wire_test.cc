#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "wire/message.h"
#include "wire/run.h"

namespace asb {
namespace {

TEST(Message, SurvivesTheWay) {
  const Message sent{MessageKind::kFailed, -13, Phase::kView, "hiding /a b\n"};
  const auto got = DecodeMessage(Encode(sent));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->kind, sent.kind);
  EXPECT_EQ(got->number, -13);
  EXPECT_EQ(got->phase, Phase::kView);
  EXPECT_EQ(got->text, sent.text);
}

TEST(Message, IsRefusedWhenCutOrExtended) {
  const std::string whole = Encode(Message{MessageKind::kExited, 7, Phase::kNone, "abc"});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(DecodeMessage(whole.substr(0, length))) << length;
  }
  EXPECT_FALSE(DecodeMessage(whole + "x"));
}

TEST(Message, UnknownKindsAndPhasesAreRefused) {
  std::string bytes = Encode(Message{MessageKind::kReady, 0, Phase::kNone, ""});
  for (const int kind : {0, 8, 62, 68, 255}) {
    bytes[0] = static_cast<char>(kind);
    EXPECT_FALSE(DecodeMessage(bytes)) << kind;
  }
  bytes[0] = static_cast<char>(MessageKind::kReady);
  bytes[1] = 8;
  EXPECT_FALSE(DecodeMessage(bytes));
}

TEST(Message, LongTextIsCut) {
  const auto got = DecodeMessage(
      Encode(Message{MessageKind::kFailed, 0, Phase::kInit, std::string(kMostText + 5, 'x')}));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->text.size(), kMostText);
}

RC_GTEST_PROP(RunProperty, SurvivesTheWay, ()) {
  Run run;
  run.version = *rc::gen::arbitrary<std::string>();
  run.argv = *rc::gen::nonEmpty<std::vector<std::string>>();
  run.environment = *rc::gen::arbitrary<std::vector<std::string>>();
  run.folder = *rc::gen::arbitrary<std::string>();
  run.terminal = *rc::gen::arbitrary<bool>();
  run.foreground = *rc::gen::arbitrary<bool>();
  run.guarded = *rc::gen::arbitrary<bool>();
  for (bool& slot : run.on_terminal) slot = *rc::gen::arbitrary<bool>();
  const auto got = DecodeRun(Encode(run));
  RC_ASSERT(got.has_value());
  RC_ASSERT(*got == run);
}

RC_GTEST_PROP(RunProperty, AnyBytesAreReadOrRefused, (const std::string& bytes)) {
  const auto got = DecodeRun(bytes);
  if (got) RC_ASSERT(Encode(*got) == bytes);
}

TEST(Run, ACountThatLiesEndsAtTheEnd) {
  std::string bytes = Encode(asb::Run{"1", {"true"}, {}, "/", false, {}, false});
  bytes[5] = '\xff';  // the number of arguments
  bytes[6] = '\xff';
  bytes[7] = '\xff';
  EXPECT_FALSE(DecodeRun(bytes));
}

}  // namespace
}  // namespace asb
