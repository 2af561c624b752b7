#include "plan/checks.h"

#include <gtest/gtest.h>

#include <vector>

namespace asb {
namespace {

const std::vector<Check> kSome{
    CheckOk(CheckId::kKernel, "Linux 6.1"),
    CheckMissing(CheckId::kUserNamespace, Cause{CauseId::kCloneDenied, "EPERM"}),
    CheckNone(CheckId::kConfig, "/home/\x1bu: not there"),
};

TEST(ChecksToText, AMissingCheckHasItsCauseAndFixAndNothingActsOnATerminal) {
  EXPECT_EQ(
      ChecksToText(kSome, {}, false),
      "kernel             ok       mounts by descriptor, which came with Linux 5.12 (Linux 6.1)\n"
      "user-namespace     missing  rights that end at the wall\n"
      "  cause: clone-denied: this process may not make a user namespace: a container, a chroot or "
      "a "
      "system call filter (EPERM)\n"
      "  fix:   run it outside, or start the container with --security-opt seccomp=unconfined\n"
      "config             —        your policy (/home/\\x1bu: not there)\n"
      "\n"
      "The default policy cannot be run here: no command would be started.\n");
}

TEST(ChecksToText, GapsAreListedWhereTheDefaultPolicyRuns) {
  const std::vector<Gap> gaps{{GapId::kCpu, ""}};
  const std::string text = ChecksToText({}, gaps, true);
  EXPECT_EQ(text,
            "\nThe default policy can be run here. It leaves these gaps open:\n"
            "  cpu: The processor time of all processes together is not limited.\n");
}

TEST(ChecksToJson, SaysTheSame) {
  const std::vector<Gap> gaps{{GapId::kCpu, ""}};
  EXPECT_EQ(ChecksToJson(std::vector<Check>{kSome[0]}, gaps, true), R"({
  "can-run": true,
  "checks": [
    {
      "name": "kernel",
      "state": "ok",
      "needed": true,
      "purpose": "mounts by descriptor, which came with Linux 5.12",
      "found": "Linux 6.1"
    }
  ],
  "gaps": [
    {
      "name": "cpu",
      "sentence": "The processor time of all processes together is not limited."
    }
  ]
}
)");
}

}  // namespace
}  // namespace asb
