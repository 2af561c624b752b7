#include "policy/keys.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "policy/builtin_data.h"
#include "policy/gaps.h"
#include "policy/policy.h"
#include "policy/value.h"

namespace asb {
namespace {

TEST(Keys, EveryNameIsUsedOnce) {
  std::set<std::string_view> names;
  for (const std::string_view name : SettingNames()) EXPECT_TRUE(names.insert(name).second) << name;
  EXPECT_EQ(names.size(), AllKeys().size() + AllSpellings().size());
}

TEST(Keys, EveryRowCanBeDocumented) {
  for (const KeySpec& key : AllKeys()) {
    EXPECT_FALSE(key.summary.empty()) << key.name;
    EXPECT_FALSE(key.summary.ends_with('.')) << key.name;
    EXPECT_TRUE(key.detail.ends_with('.')) << key.name;
    EXPECT_EQ(key.type == KeyType::kChoice, !key.choices.empty()) << key.name;
    EXPECT_EQ(FindKey(key.name), &key);
  }
}

TEST(Keys, TheDefaultOfEveryChoiceIsOneOfThem) {
  for (const KeySpec& key : AllKeys()) {
    if (key.type != KeyType::kChoice) continue;
    Item item;
    item.text = key.default_value;
    EXPECT_TRUE(CheckItem(key, item, ValueSource::kFile).empty()) << key.name;
  }
}

TEST(Keys, TheChoicesAreInTheOrderOfTheEnums) {
  EXPECT_EQ(WordFor(View::kWhitelist), "whitelist");
  EXPECT_EQ(WordFor(View::kBlacklist), "blacklist");
  EXPECT_EQ(WordFor(HomeMode::kPrivate), "private");
  EXPECT_EQ(WordFor(HomeMode::kKept), "kept");
  EXPECT_EQ(WordFor(HomeMode::kRead), "read");
  EXPECT_EQ(WordFor(HomeMode::kWrite), "write");
  EXPECT_EQ(WordFor(Network::kNone), "none");
  EXPECT_EQ(WordFor(Network::kLoopback), "loopback");
  EXPECT_EQ(WordFor(Network::kOpen), "open");
}

TEST(Keys, SpellingsGiveAValueOfTheirKey) {
  for (const Spelling& spelling : AllSpellings()) {
    for (const bool on : {true, false}) {
      const auto value = SpelledValue(spelling, on);
      if (!value) continue;
      Item item;
      item.text = *value;
      EXPECT_TRUE(CheckItem(SpecOf(spelling.key), item, ValueSource::kFile).empty())
          << spelling.name;
    }
  }
}

TEST(Keys, ListsThatProtectAndGrantAreJoinedAcrossLayers) {
  for (const char* name : {"ro", "rw", "hide", "bind", "env"}) {
    EXPECT_EQ(FindKey(name)->merge, MergeRule::kAppend) << name;
  }
  EXPECT_EQ(FindKey("command")->merge, MergeRule::kReplace);
}

TEST(Gaps, NamesAreUniqueAndTheTableIsInOrder) {
  std::set<std::string_view> names;
  std::size_t index = 0;
  for (const GapSpec& gap : AllGaps()) {
    EXPECT_TRUE(names.insert(gap.name).second) << gap.name;
    EXPECT_EQ(static_cast<std::size_t>(gap.id), index++);
    EXPECT_TRUE(gap.sentence.ends_with('.')) << gap.name;
    EXPECT_EQ(FindGap(gap.name), &gap);
  }
}

TEST(Defaults, TheMostClosedValuesHoldWhenNobodySaysAnything) {
  const std::vector<Layer> layers{BuiltinLayer()};
  const Policy policy = MakePolicy(MergeLayers(layers));
  EXPECT_EQ(policy.view.value, View::kWhitelist);
  EXPECT_EQ(policy.home.value, HomeMode::kPrivate);
  EXPECT_EQ(policy.network.value, Network::kNone);
  EXPECT_TRUE(policy.paths.empty());
  EXPECT_TRUE(policy.env.empty());
}

TEST(BuiltinData, NoPathIsListedTwiceWithinAView) {
  for (const auto& view : {WhitelistPaths(), BlacklistPaths()}) {
    std::set<std::string> paths;
    for (const BuiltinPath& row : view)
      EXPECT_TRUE(paths.insert(std::string(row.path)).second) << row.path;
    for (const BuiltinPath& row : SecretPaths()) {
      EXPECT_TRUE(paths.insert(std::string(row.path)).second) << row.path;
    }
  }
}

TEST(BuiltinData, EveryPathWouldBeAcceptedInAPolicy) {
  for (const auto& table : {WhitelistPaths(), BlacklistPaths(), SecretPaths()}) {
    for (const BuiltinPath& row : table) {
      const bool own = row.access == BuiltinAccess::kProc ||
                       row.access == BuiltinAccess::kDevices ||
                       row.access == BuiltinAccess::kPrivate;
      Item item;
      item.text = row.path;
      if (!own) {
        EXPECT_TRUE(CheckItem(*FindKey("hide"), item, ValueSource::kFile).empty()) << row.path;
      }
      EXPECT_FALSE(row.why.empty()) << row.path;
      EXPECT_GT(row.line, 0U);
    }
  }
}

TEST(BuiltinData, TheCredentialListHoldsWhatEveryoneLosesFirst) {
  std::set<std::string_view> paths;
  for (const BuiltinPath& row : SecretPaths()) paths.insert(row.path);
  for (const char* path : {"~/.ssh",
                           "~/.aws",
                           "~/.azure",
                           "~/.config/gcloud",
                           "~/.kube",
                           "~/.docker",
                           "~/.npmrc",
                           "~/.pypirc",
                           "~/.gnupg",
                           "~/.netrc",
                           "~/.git-credentials",
                           "~/.config/gh",
                           "~/.mozilla",
                           "~/.config/google-chrome",
                           "~/.bash_history",
                           "~/.zsh_history",
                           "~/.password-store",
                           "~/.local/share/keyrings",
                           "~/.vault-token",
                           "~/.terraform.d",
                           "~/.huggingface"}) {
    EXPECT_TRUE(paths.contains(path)) << path;
  }
}

}  // namespace
}  // namespace asb
