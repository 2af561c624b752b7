#include "plan/reach.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "plan/testing.h"

namespace asb {
namespace {

using testing::Add;
using testing::Compile;
using testing::DefaultPolicy;
using testing::Path;
using testing::Rule;
using testing::SmallHost;

constexpr std::array<const char*, 6> kPaths{"/d/a", "/d/b", "/d/b/c", "/e", "/e/new\nline", "/f"};

HostFacts Host() {
  HostFacts facts = SmallHost();
  for (const char* path : kPaths) Add(facts, path, FileKind::kFolder);
  facts.environment = {"FOO", "LANG", "TOKEN"};
  return facts;
}

Policy Keeping() {
  Policy policy = DefaultPolicy();
  policy.home.value = HomeMode::kKept;
  return policy;
}

std::string KeyOf(const Policy& policy, const HostFacts& facts = Host()) {
  const Compiled compiled = Compile(policy, facts);
  EXPECT_TRUE(compiled.diagnostics.empty()) << RenderDiagnostics(compiled.diagnostics);
  return compiled.plan.kept ? compiled.plan.kept->key : "none";
}

EnvRule Variable(std::string name, std::optional<std::string> value = {}) {
  return {std::move(name), std::move(value), {LayerKind::kUser, "test.toml", 9, 1}};
}

/// Grants, hides and variables in any number, no path twice, and none about `but`.
Policy RandomPolicy(const std::string& but = {}) {
  Policy policy = Keeping();
  std::uint32_t line = 0;
  for (const char* path : kPaths) {
    const int kind = *rc::gen::inRange(0, 4);
    if (kind == 3 || path == but) continue;
    const auto layer = *rc::gen::element(LayerKind::kUser, LayerKind::kProfile);
    policy.paths.push_back(Rule(static_cast<RuleAccess>(kind), path, layer, ++line));
  }
  if (*rc::gen::arbitrary<bool>()) policy.env.push_back(Variable("TOKEN"));
  if (*rc::gen::arbitrary<bool>()) policy.network.value = Network::kLoopback;
  return policy;
}

TEST(Reach, WhatAWorkTreeBringsAlongIsPartOfIt) {
  HostFacts facts = Host();
  const std::string without = KeyOf(Keeping(), facts);
  for (const char* folder : {"objects", "refs", "logs"}) {
    Add(facts, std::string("/r/.git/") + folder, FileKind::kFolder);
  }
  for (const char* file : {"HEAD", "config", "worktrees/w/gitdir", "worktrees/w/commondir"}) {
    Add(facts, std::string("/r/.git/") + file, FileKind::kFile);
  }
  Add(facts, "/ws/.git", FileKind::kFile);
  facts.first_lines = {{Path("/ws/.git"), "gitdir: /r/.git/worktrees/w"},
                       {Path("/r/.git/worktrees/w/gitdir"), "/ws/.git"},
                       {Path("/r/.git/worktrees/w/commondir"), "../.."}};
  EXPECT_NE(KeyOf(Keeping(), facts), without);
}

TEST(Reach, IsWrittenDownOnceAndReadable) {
  Policy policy = Keeping();
  policy.paths.push_back(Rule(RuleAccess::kWrite, "/d/a"));
  policy.paths.push_back(Rule(RuleAccess::kHide, "~/x*"));
  policy.binds.push_back({"/e", "/mnt/e", RuleAccess::kRead, {LayerKind::kUser, "t", 1, 1}});
  policy.env.push_back(Variable("FOO", "secret"));
  policy.env.push_back(Variable("TOKEN"));
  const Compiled compiled = Compile(policy, Host());
  ASSERT_TRUE(compiled.plan.kept);
  // printf secret | sha256sum
  EXPECT_EQ(compiled.plan.kept->reach,
            "reach 1\nworkspace /ws\nview whitelist\nnetwork none\n"
            "env FOO sha256 2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n"
            "env TOKEN\nhide '/home/u/x*'\nro /mnt/e from /e\nrw /d/a\nrw /ws\n");
  EXPECT_EQ(compiled.plan.kept->key.size(), 32U);
  EXPECT_EQ(compiled.plan.kept->folder.text(),
            "/home/u/.local/state/agent-sandbox/homes/" + compiled.plan.kept->key + "/home");
}

TEST(Reach, TheProjectIsPartOfIt) {
  HostFacts other = Host();
  Add(other, "/ws2", FileKind::kFolder);
  other.current_directory = "/ws2";
  EXPECT_NE(KeyOf(Keeping()), KeyOf(Keeping(), other));
}

TEST(Reach, ABuiltinRowIsNoPartOfIt) {
  const std::vector<BuiltinPath> rows{{BuiltinAccess::kRead, "/f", "software", "view.toml", 1}};
  BuiltinTables tables;
  tables.whitelist = rows;
  const Compiled with = CompilePlan(Keeping(), Host(), {"true"}, tables);
  ASSERT_TRUE(with.plan.kept);
  EXPECT_EQ(with.plan.kept->key, KeyOf(Keeping()));
}

TEST(Reach, ALinkThatLeadsElsewhereIsAnotherReach) {
  HostFacts before = Host();
  Add(before, "/l", FileKind::kLink, "/e");
  HostFacts after = Host();
  Add(after, "/l", FileKind::kLink, "/f");
  Policy policy = Keeping();
  policy.paths.push_back(Rule(RuleAccess::kRead, "/l"));
  EXPECT_NE(KeyOf(policy, before), KeyOf(policy, after));
}

TEST(Reach, APrivateHomeHasNoKey) { EXPECT_EQ(KeyOf(DefaultPolicy()), "none"); }

RC_GTEST_PROP(ReachProperties, AnyOtherGrantIsAnotherKey, ()) {
  const std::string path = *rc::gen::elementOf(kPaths);
  const Policy narrow = RandomPolicy(path);
  Policy wide = narrow;
  wide.paths.push_back(
      Rule(*rc::gen::element(RuleAccess::kRead, RuleAccess::kWrite), path, LayerKind::kUser, 99));
  RC_ASSERT(KeyOf(narrow) != KeyOf(wide));
}

RC_GTEST_PROP(ReachProperties, AHideTakenAwayIsAnotherKey, ()) {
  const std::string path = *rc::gen::elementOf(kPaths);
  const Policy wide = RandomPolicy(path);
  Policy narrow = wide;
  narrow.paths.push_back(Rule(RuleAccess::kHide, path, LayerKind::kUser, 99));
  RC_ASSERT(KeyOf(narrow) != KeyOf(wide));
}

RC_GTEST_PROP(ReachProperties, ReadAndWriteAreDifferent, ()) {
  Policy read = Keeping();
  read.paths.push_back(Rule(RuleAccess::kRead, *rc::gen::elementOf(kPaths)));
  Policy write = read;
  write.paths[0].access = RuleAccess::kWrite;
  RC_ASSERT(KeyOf(read) != KeyOf(write));
}

RC_GTEST_PROP(ReachProperties, AnyOtherBindNetworkViewVariableOrModeIsAnotherKey, ()) {
  const Policy narrow = RandomPolicy("/f");
  Policy wide = narrow;
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      wide.network.value = Network::kOpen;
      break;
    case 1:
      wide.env.push_back(Variable("FOO"));
      break;
    case 2:
      wide.env.push_back(Variable("NEW", "value"));
      break;
    case 3:
      wide.binds.push_back({"/f", "/mnt/f", RuleAccess::kRead, {LayerKind::kUser, "t", 1, 1}});
      break;
    case 4:
      wide.view.value = View::kBlacklist;
      break;
    default:
      wide.workspace_mode.value = WorkspaceMode::kRead;
  }
  RC_ASSERT(KeyOf(narrow) != KeyOf(wide));
}

RC_GTEST_PROP(ReachProperties, OrderLayersAndPlacesDoNotMatter, ()) {
  const Policy before = RandomPolicy();
  Policy after = before;
  std::mt19937 random(*rc::gen::arbitrary<unsigned>());
  std::shuffle(after.paths.begin(), after.paths.end(), random);
  std::uint32_t line = 100;
  for (PathRule& rule : after.paths) rule.origin = {LayerKind::kProfile, "other.toml", ++line, 2};
  after.network.origin = {LayerKind::kProfile, "other.toml", 1, 1};
  after.command = {"another", "program"};
  RC_ASSERT(KeyOf(before) == KeyOf(after));
}

}  // namespace
}  // namespace asb
