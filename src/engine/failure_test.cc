// Every cause, from what a host of that kind answers.
#include "engine/failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string_view>
#include <vector>

namespace asb {
namespace {

/// A host on which everything works.
HostHints Healthy() {
  HostHints hints;
  hints.kernel = "6.1.0-18-amd64";
  hints.max_user_namespaces = "96360";
  hints.engine_path = "/usr/bin/bwrap";
  hints.engine_version = "0.8.0";
  return hints;
}

HostHints With(TrialStep step, int error, HostHints hints = Healthy()) {
  hints.trial[static_cast<std::size_t>(step)] = error;
  return hints;
}

HostHints AppArmorHost() {
  HostHints hints = Healthy();
  hints.apparmor_restricts = "1";
  return hints;
}

std::string_view NameOf(const LaunchFailure& failure, const HostHints& hints) {
  return SpecOf(CauseOf(failure, hints).id).name;
}

std::string_view NameOf(Phase phase, int error, const HostHints& hints = Healthy()) {
  return NameOf({phase, error, "doing something", ""}, hints);
}

/// bubblewrap ended before init had said a word.
std::string_view NameOfComplaint(std::string complaint, const HostHints& hints = Healthy()) {
  return NameOf({Phase::kEngine, 0, "starting bubblewrap", std::move(complaint)}, hints);
}

TEST(CauseOf, TheLimitOfUserNamespacesIsToldFromAFilter) {
  HostHints none = With(TrialStep::kUserNamespace, ENOSPC);
  none.max_user_namespaces = "0";
  EXPECT_EQ(NameOf(Phase::kNamespaces, ENOSPC, none), "userns-disabled");
  EXPECT_EQ(CauseOf({Phase::kNamespaces, ENOSPC, "", ""}, none).detail,
            "user.max_user_namespaces = 0");
  EXPECT_EQ(NameOf(Phase::kNamespaces, EPERM, With(TrialStep::kUserNamespace, EPERM)),
            "clone-denied");
  EXPECT_EQ(NameOf(Phase::kNamespaces, EINVAL, With(TrialStep::kUserNamespace, EINVAL)),
            "userns-disabled");
}

TEST(CauseOf, DebiansSettingAnswersAsAFilterDoesAndIsNamedAllTheSame) {
  HostHints debian = With(TrialStep::kUserNamespace, EPERM);
  debian.unprivileged_userns_clone = "0";
  EXPECT_EQ(NameOf(Phase::kNamespaces, EPERM, debian), "userns-disabled");
  EXPECT_EQ(CauseOf({Phase::kNamespaces, EPERM, "", ""}, debian).detail,
            "kernel.unprivileged_userns_clone = 0");
}

TEST(CauseOf, AppArmorIsOneCauseInAllItsSpellings) {
  const HostHints ubuntu = AppArmorHost();
  EXPECT_EQ(NameOf(Phase::kNamespaces, EACCES, With(TrialStep::kUserNamespace, EACCES, ubuntu)),
            "apparmor-userns");
  EXPECT_EQ(NameOf(Phase::kIdentity, EACCES, With(TrialStep::kIdentity, EACCES, ubuntu)),
            "apparmor-userns");
  EXPECT_EQ(NameOf(Phase::kIdentity, EPERM, With(TrialStep::kIdentity, EPERM)), "apparmor-userns");
  EXPECT_EQ(NameOf(Phase::kView, EACCES, With(TrialStep::kMount, EACCES)), "apparmor-userns");
  EXPECT_EQ(NameOf(Phase::kNetwork, EPERM, ubuntu), "apparmor-userns");
  EXPECT_EQ(NameOfComplaint("bwrap: setting up uid map: Permission denied\n"), "apparmor-userns");
  EXPECT_EQ(
      NameOfComplaint("bwrap: No permissions to create new namespace, likely because …", ubuntu),
      "apparmor-userns");
}

TEST(CauseOf, NamespacesAskedForTogetherAreToldApartByTryingThem) {
  EXPECT_EQ(NameOf(Phase::kNamespaces, EPERM, With(TrialStep::kMountNamespace, EPERM)),
            "mount-namespace-denied");
  EXPECT_EQ(NameOf(Phase::kNamespaces, ENOSPC, With(TrialStep::kNetwork, ENOSPC)),
            "network-namespace-denied");
  EXPECT_EQ(NameOf(Phase::kNamespaces, ENOSPC, With(TrialStep::kProcesses, ENOSPC)),
            "pid-namespace-denied");
}

TEST(CauseOf, AMissingCallIsTheKernelsAgeOrAFilter) {
  HostHints old = With(TrialStep::kMount, ENOSYS);
  old.kernel = "5.10.0-28-amd64";
  EXPECT_EQ(NameOf(Phase::kView, ENOSYS, old), "kernel-too-old");
  old.kernel = "5.12.0";
  EXPECT_EQ(NameOf(Phase::kView, ENOSYS, old), "mount-namespace-denied");
}

TEST(CauseOf, ProcIsMissingReadOnlyOrCovered) {
  HostHints bare = Healthy();
  bare.proc = false;
  EXPECT_EQ(NameOf(Phase::kIdentity, ENOENT, bare), "no-proc");
  EXPECT_EQ(NameOf(Phase::kIdentity, ENOENT, With(TrialStep::kLimit, ENOENT)), "no-proc");
  EXPECT_EQ(NameOf(Phase::kIdentity, EROFS, With(TrialStep::kLimit, EROFS)), "proc-sys-read-only");
  EXPECT_EQ(NameOf(Phase::kIdentity, EACCES, With(TrialStep::kLimit, EACCES)),
            "proc-sys-read-only");
  EXPECT_EQ(NameOfComplaint("bwrap: Can't mount proc on /newroot/proc: Operation not permitted\n"),
            "proc-masked");
}

TEST(CauseOf, WatchesHaveLimitsOfTheirOwn) {
  const auto name = [](int error, const char* step) {
    return NameOf({Phase::kWarden, error, step, ""}, Healthy());
  };
  EXPECT_EQ(name(ENOSPC, "watching '/ws': No space left on device"), "no-watches");
  EXPECT_EQ(name(EMFILE, "starting to watch: Too many open files"), "no-watches");
  EXPECT_EQ(name(ENOSPC, "covering '/ws/.env' again: No space left on device"), "limits");
  EXPECT_EQ(name(ENOMEM, "watching '/ws': Cannot allocate memory"), "no-memory");
}

TEST(CauseOf, APathThatChangedIsNamed) {
  for (const int error : {ENOENT, ENOTDIR, ELOOP, ESTALE}) {
    EXPECT_EQ(NameOf(Phase::kView, error), "path-changed") << error;
  }
  EXPECT_EQ(NameOf({Phase::kInit, ENOENT, "entering the workspace: No such file or directory", ""},
                   Healthy()),
            "path-changed");
  EXPECT_EQ(NameOf(Phase::kView, EACCES), "path-denied");
  EXPECT_EQ(
      NameOf({Phase::kInit, EACCES, "entering the workspace: Permission denied", ""}, Healthy()),
      "path-denied");
}

TEST(CauseOf, WhatTheUserHasUsedUpIsNamed) {
  const LaunchFailure terminal{Phase::kInit, ENOSPC, "making a terminal: No space left on device",
                               ""};
  EXPECT_THAT(CauseOf(terminal, Healthy()).detail, testing::HasSubstr("kernel.pty.max"));
  const LaunchFailure passing{Phase::kInit, ETOOMANYREFS, "handing over the run: Too many …", ""};
  EXPECT_EQ(NameOf(passing, Healthy()), "limits");
}

TEST(CauseOf, DevicesAndTerminalsAreNoPathsOfThePlan) {
  EXPECT_EQ(NameOf({Phase::kView, ENOENT, "devices '/dev': null: No such file or directory", ""},
                   Healthy()),
            "no-devices");
  EXPECT_EQ(NameOf({Phase::kView, ENODEV, "devices '/dev': pts: No such device", ""},
                   With(TrialStep::kTerminals, ENODEV)),
            "no-terminals");
}

TEST(CauseOf, TheFolderToBuildOnIsNoPathOfThePlan) {
  EXPECT_EQ(
      NameOf({Phase::kView, ENOENT, "opening /tmp: No such file or directory", ""}, Healthy()),
      "no-tmp");
  EXPECT_EQ(NameOf(Phase::kView, ENOENT, With(TrialStep::kMount, ENOENT)), "no-tmp");
}

TEST(CauseOf, WhatIsUsedUpIsNoFaultOfTheHostsSettings) {
  for (const Phase phase :
       {Phase::kNone, Phase::kNamespaces, Phase::kView, Phase::kEngine, Phase::kInit}) {
    EXPECT_EQ(NameOf(phase, ENOMEM), "no-memory");
    EXPECT_EQ(NameOf(phase, EMFILE), "limits");
    EXPECT_EQ(NameOf(phase, ENFILE), "limits");
    EXPECT_EQ(NameOf(phase, EAGAIN), "limits");
  }
  EXPECT_EQ(NameOf(Phase::kView, ENOSPC), "limits");
  EXPECT_EQ(NameOfComplaint("bwrap: Can't create file: Too many open files\n"), "limits");
}

TEST(CauseOf, BubblewrapIsBrokenOrOld) {
  HostHints crashes = Healthy();
  crashes.engine_version.clear();
  crashes.engine_problem = "killed by signal 11";
  EXPECT_EQ(NameOfComplaint("", crashes), "binary-broken");
  EXPECT_EQ(NameOf(Phase::kEngine, ETIMEDOUT, crashes), "binary-broken");
  EXPECT_EQ(NameOf(Phase::kEngine, ENOEXEC), "binary-broken");
  EXPECT_EQ(NameOf(Phase::kEngine, ETIMEDOUT), "too-slow");

  EXPECT_EQ(NameOfComplaint("bwrap: Unknown option --as-pid-1\n"), "version-too-old");
  HostHints old = Healthy();
  old.engine_version = "0.3.2";
  EXPECT_EQ(NameOfComplaint("bwrap: something\n", old), "version-too-old");
  old.engine_version = "0.3.3";
  EXPECT_EQ(NameOfComplaint("bwrap: something\n", old), "unknown");
}

TEST(CauseOf, InitIsMissingBrokenOrOfAnotherVersion) {
  EXPECT_EQ(NameOf({Phase::kInit, EACCES, "opening /x/agent-sandbox-init: Permission denied", ""},
                   Healthy()),
            "init-missing");
  EXPECT_EQ(NameOfComplaint("bwrap: execvp /proc/self/fd/4: Exec format error\n"), "init-broken");
  EXPECT_EQ(NameOfComplaint(""), "init-broken");
  EXPECT_EQ(NameOf(Phase::kInit, EPROTO), "init-mismatch");
}

TEST(DescribeFailure, HasAllThreeLinesWhateverHappened) {
  for (int phase = 0; phase <= static_cast<int>(Phase::kInit); ++phase) {
    for (int error = 0; error < 140; ++error) {
      const Error shown = DescribeFailure(
          LaunchFailure{static_cast<Phase>(phase), error, "doing something", ""}, Healthy());
      EXPECT_EQ(shown.kind, ErrorKind::kHost);
      EXPECT_EQ(shown.what, "walls not built: doing something");
      EXPECT_FALSE(shown.cause.empty());
      EXPECT_FALSE(shown.hint.empty());
    }
  }
}

TEST(DescribeFailure, AnUnknownFailureTellsEverythingAndHowToReportIt) {
  const Error shown = DescribeFailure(
      LaunchFailure{Phase::kEngine, 0, "starting bubblewrap", "bwrap: one\nbwrap: \x1b[2Jtwo\n"},
      With(TrialStep::kTerminals, EINVAL));
  EXPECT_EQ(shown.cause,
            "unknown: no known cause fits (phase engine, errno 0; Linux 6.1.0-18-amd64; bubblewrap "
            "0.8.0; user.max_user_namespaces = 96360; refused: terminals 22; it said: bwrap: "
            "\\x1b[2Jtwo)");
  EXPECT_EQ(shown.hint, "report it with the output of agent-sandbox doctor --json");
}

TEST(DescribeFailure, AnErrorWithItsOwnFixStaysAsItIs) {
  const Error own{ErrorKind::kHost, 0, "standard input is a folder", "redirect it"};
  EXPECT_EQ(DescribeFailure(own, Healthy()).what, own.what);
  EXPECT_EQ(DescribeFailure(own, Healthy()).hint, own.hint);
  const Error bare{ErrorKind::kHost, EMFILE, "making a pipe: Too many open files", ""};
  EXPECT_EQ(DescribeFailure(bare, Healthy()).cause,
            "limits: a limit of this process or of the host is used up (open files of this "
            "process: ulimit -n)");
}

}  // namespace
}  // namespace asb
