#include "plan/facts_json.h"

#include <gtest/gtest.h>

#include "plan/testing.h"

namespace asb {
namespace {

using testing::Add;
using testing::Path;
using testing::SmallHost;

TEST(FactsJson, SurvivesTheWayThereAndBack) {
  HostFacts facts = SmallHost();
  facts.kernel = "6.1.0";
  facts.landlock_abi = 7;
  facts.userns_denied = "user.max_user_namespaces = 0";
  facts.environment = {"PATH", "TERM"};
  facts.engines = {{"bubblewrap", "", "/home/u/bin/bwrap"}};
  Add(facts, "/bin", FileKind::kLink, "usr/bin");
  Add(facts, "/ws/\xff\x01 n", FileKind::kFile);
  facts.listings[Path("/ws")] = {{"a", "\xfe"}, ""};
  facts.listings[Path("/root")] = {{}, "cannot be listed"};
  const std::string json = FactsToJson(facts);
  const Result<HostFacts> back = FactsFromJson(json);
  ASSERT_TRUE(back) << back.error().what;
  EXPECT_EQ(FactsToJson(*back), json);
  EXPECT_EQ(back->engines.at(0).unsafe_path, "/home/u/bin/bwrap");
  EXPECT_EQ(back->files.at(Path("/ws/\xff\x01 n")).kind, FileKind::kFile);
  EXPECT_EQ(back->files.at(Path("/bin")).link_target, "usr/bin");
  EXPECT_EQ(back->listings.at(Path("/root")).problem, "cannot be listed");
}

TEST(FactsJson, FoldersAboveAListedPathNeedNotBeListed) {
  const auto facts = FactsFromJson(R"({"files": [{"path": "/a/b/c", "kind": "file"}]})");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->files.at(Path("/a/b")).kind, FileKind::kFolder);
}

TEST(FactsJson, WhatIsNotSaidIsUnknown) {
  const auto facts = FactsFromJson("{}");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->unlisted, FileKind::kUnknown);
}

struct Wrong {
  const char* text;
  const char* message;
};

TEST(FactsJson, RefusesWhatItDoesNotUnderstand) {
  const Wrong wrong[] = {
      {"", "the facts are not JSON"},
      {"[]", "the facts must be an object"},
      {R"({"kernal": "6"})", "unknown member 'kernal' in the facts; did you mean 'kernel'?"},
      {R"({"kernel": 6})", "kernel must be a string or {\"hex\": …}"},
      {R"({"user": {"uid": -1}})", "uid must be a whole number from 0 to 4294967295"},
      {R"({"files": {}})", "files must be a list"},
      {R"({"files": [{"kind": "file"}]})", "a row of files has no path"},
      {R"({"files": [{"path": "a", "kind": "file"}]})", "files 'a': is not an absolute path"},
      {R"({"files": [{"path": "/a", "kind": "dir"}]})", "'/a' has no such kind: 'dir'"},
      {R"({"files": [{"path": {"hex": "2"}, "kind": "file"}]})",
       "files must be a string or {\"hex\": …}"},
      {R"({"unlisted": "perhaps"})", "unlisted must be missing or unknown"},
  };
  for (const Wrong& row : wrong) {
    const auto facts = FactsFromJson(row.text);
    ASSERT_FALSE(facts) << row.text;
    EXPECT_EQ(facts.error().what, row.message);
  }
}

}  // namespace
}  // namespace asb
