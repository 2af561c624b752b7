// Properties of reading, printing and merging policies.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "policy/gaps.h"
#include "policy/parse.h"
#include "policy/policy.h"
#include "policy/print.h"
#include "policy/value.h"

namespace asb {
namespace {

rc::Gen<std::string> GenName() {
  return rc::gen::nonEmpty(rc::gen::container<std::string>(
      rc::gen::element('a', 'B', '7', '-', '_', ' ', ',', '"', '\\', '\'', '\n', '\t', '\x01',
                       '\x7f', '#', '=', '[', ']')));
}

rc::Gen<std::string> GenText() {
  return rc::gen::oneOf(GenName(), rc::gen::element<std::string>("ä", "日本", "\u202e", "🙂 x"));
}

rc::Gen<std::string> GenPathText() {
  return rc::gen::map(rc::gen::pair(rc::gen::element<std::string>("/", "~/", "./"), GenText()),
                      [](const std::pair<std::string, std::string>& parts) {
                        return parts.first + "x" + parts.second;
                      });
}

/// One value that CheckItem accepts, whatever the key.
Item GenItem(const KeySpec& key) {
  Item item;
  switch (key.type) {
    case KeyType::kChoice:
      item.text = key.choices[*rc::gen::inRange<std::size_t>(0, key.choices.size())];
      break;
    case KeyType::kSwitch:
      item.text = *rc::gen::element<std::string>("true", "false");
      break;
    case KeyType::kPath:
    case KeyType::kPathList:
      item.text = *GenPathText();
      break;
    case KeyType::kBindList:
      item.text = *GenPathText();
      item.target = *GenPathText();
      item.mode = *rc::gen::element<std::string>("ro", "rw");
      break;
    case KeyType::kEnvList:
      item.text = *rc::gen::element<std::string>("A", "A_*", "A=", "A=b c\n\"", "_X=ä");
      break;
    case KeyType::kWordList:
      item.text = *GenText();
      break;
    case KeyType::kGapList:
      item.text = GapNames()[*rc::gen::inRange<std::size_t>(0, GapNames().size())];
      break;
  }
  return item;
}

Layer GenLayer(LayerKind kind) {
  Layer layer;
  layer.kind = kind;
  for (const KeySpec& key : AllKeys()) {
    if (!*rc::gen::arbitrary<bool>()) continue;
    Setting setting;
    const int count = IsList(key.type) ? *rc::gen::inRange(0, 4) : 1;
    for (int i = 0; i < count; ++i) {
      Item item = GenItem(key);
      if (CheckItem(key, item, ValueSource::kFile).empty())
        setting.items.push_back(std::move(item));
    }
    if (setting.items.empty() && !IsList(key.type)) continue;
    layer.At(key.key) = std::move(setting);
  }
  return layer;
}

RC_GTEST_PROP(PolicyProperties, ParsingWhatWasPrintedGivesItBack, ()) {
  PolicyFile file;
  file.top = GenLayer(LayerKind::kUser);
  const int profiles = *rc::gen::inRange(0, 3);
  for (int i = 0; i < profiles; ++i) {
    file.profiles.push_back(GenLayer(LayerKind::kProfile));
    file.profiles.back().name = std::string("p") + static_cast<char>('a' + i);
  }
  const std::string text = PrintPolicy(file);
  const ParsedPolicy parsed = ParsePolicy(text, "t.toml");
  RC_LOG() << text;
  RC_ASSERT(parsed.diagnostics.empty());
  RC_ASSERT(SameSettings(parsed.file.top, file.top));
  RC_ASSERT(parsed.file.profiles.size() == file.profiles.size());
  for (std::size_t i = 0; i < file.profiles.size(); ++i) {
    RC_ASSERT(parsed.file.profiles[i].name == file.profiles[i].name);
    RC_ASSERT(SameSettings(parsed.file.profiles[i], file.profiles[i]));
  }
  RC_ASSERT(PrintPolicy(parsed.file) == text);
}

RC_GTEST_PROP(PolicyProperties, AHigherLayerReplacesAndListsAreJoined, ()) {
  const std::vector<Layer> layers{BuiltinLayer(), GenLayer(LayerKind::kUser),
                                  GenLayer(LayerKind::kProfile), GenLayer(LayerKind::kCommandLine)};
  const Layer merged = MergeLayers(layers);
  for (const KeySpec& key : AllKeys()) {
    std::vector<std::string> expected;
    bool set = false;
    for (const Layer& layer : layers) {
      if (!layer.Get(key.key)) continue;
      if (key.merge == MergeRule::kReplace) expected.clear();
      for (const Item& item : layer.Get(key.key)->items) expected.push_back(item.text);
      set = true;
    }
    RC_ASSERT(merged.Get(key.key).has_value() == set);
    if (!set) continue;
    std::vector<std::string> got;
    for (const Item& item : merged.Get(key.key)->items) got.push_back(item.text);
    RC_ASSERT(got == expected);
  }
}

RC_GTEST_PROP(PolicyProperties, MergingIsAssociative, ()) {
  const Layer a = GenLayer(LayerKind::kUser);
  const Layer b = GenLayer(LayerKind::kProfile);
  const Layer c = GenLayer(LayerKind::kCommandLine);
  const Layer left = MergeLayers(std::vector<Layer>{MergeLayers(std::vector<Layer>{a, b}), c});
  const Layer right = MergeLayers(std::vector<Layer>{a, MergeLayers(std::vector<Layer>{b, c})});
  RC_ASSERT(SameSettings(left, right));
}

RC_GTEST_PROP(PolicyProperties, AnyBytesAreReadOrRefusedWithAPlace, (const std::string& bytes)) {
  const ParsedPolicy parsed = ParsePolicy(bytes, "t.toml");
  for (const Diagnostic& diagnostic : parsed.diagnostics) {
    RC_ASSERT(diagnostic.place == "t.toml");
    RC_ASSERT(diagnostic.line > 0U);
    RC_ASSERT(!diagnostic.message.empty());
  }
}

}  // namespace
}  // namespace asb
