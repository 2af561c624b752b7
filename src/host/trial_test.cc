#include "host/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "host/init_check.h"
#include "sys/descriptors.h"

namespace asb {
namespace {

ProgramEnd Shell(const std::string& script, int milliseconds = 10'000) {
  auto end = RunBriefly("/bin/sh", {"sh", "-c", script}, milliseconds);
  EXPECT_TRUE(end.has_value());
  return end.value_or(ProgramEnd());
}

TEST(RunBriefly, TellsHowAProgramEnded) {
  EXPECT_EQ(ProblemOf(Shell("exit 0")), "");
  EXPECT_EQ(ProblemOf(Shell("exit 3")), "exit code 3");
  EXPECT_EQ(ProblemOf(Shell("echo why >&2; exit 1")), "exit code 1: why");
  EXPECT_EQ(ProblemOf(Shell("kill -SEGV $$")), "killed by signal 11");
}

TEST(RunBriefly, AProgramThatCannotBeExecutedIsNotOneThatFailed) {
  const auto missing = RunBriefly("/no/such/program", {"x"}, 1000);
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(missing->exec_errno, ENOENT);
  const auto folder = RunBriefly("/usr", {"x"}, 1000);
  ASSERT_TRUE(folder.has_value());
  EXPECT_EQ(folder->exec_errno, EACCES);
}

TEST(RunBriefly, AProgramThatHangsIsEndedInTime) {
  const std::int64_t start = Milliseconds();
  EXPECT_EQ(ProblemOf(Shell("sleep 100", 100)), "it gives no answer");
  EXPECT_LT(Milliseconds() - start, 5000);
}

TEST(RunBriefly, AProgramThatLeavesAnotherBehindIsNotWaitedFor) {
  const std::int64_t start = Milliseconds();
  EXPECT_EQ(Shell("echo said; sleep 3 & exit 0").output, "said\n");
  EXPECT_LT(Milliseconds() - start, 2500);
}

TEST(RunBriefly, NothingOfTheEnvironmentReachesIt) {
  EXPECT_THAT(Shell("echo ${HOME:-no}; pwd").output, "no\n/\n");
}

TEST(AskInit, AnotherProgramIsNotTakenForIt) {
  for (const char* path : {"/bin/true", "/bin/cat", "/etc/passwd"}) {
    const Result<void> answer = AskInit(path, "0.1.0");
    ASSERT_FALSE(answer.has_value());
    EXPECT_THAT(answer.error().cause, testing::StartsWith("init-broken: "));
  }
  const Result<void> missing = AskInit("/no/such/init", "0.1.0");
  ASSERT_FALSE(missing.has_value());
  EXPECT_THAT(missing.error().cause, testing::StartsWith("init-missing: "));
}

}  // namespace
}  // namespace asb
