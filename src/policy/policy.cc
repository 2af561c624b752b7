#include "policy/policy.h"

#include <algorithm>
#include <cassert>

#include "base/glob.h"
#include "base/path.h"
#include "policy/gaps.h"

namespace asb {
namespace {

using std::string_view;

const Item& Only(const Layer& merged, Key key) {
  const std::optional<Setting>& setting = merged.Get(key);
  assert(setting && setting->items.size() == 1);
  return setting->items.front();
}

/// The position of the value among its key's choices is the value of the enum: the table and the
/// enums of policy.h list them in one order.
template <typename Enum>
Sourced<Enum> Choice(const Layer& merged, Key key) {
  const Item& item = Only(merged, key);
  const auto choices = SpecOf(key).choices;
  const auto found = std::find(choices.begin(), choices.end(), item.text);
  assert(found != choices.end());
  return {static_cast<Enum>(found - choices.begin()), item.origin};
}

template <typename Enum>
string_view WordOf(Key key, Enum value) {
  return SpecOf(key).choices[static_cast<std::size_t>(value)];
}

std::span<const Item> Items(const Layer& merged, Key key) {
  const std::optional<Setting>& setting = merged.Get(key);
  return setting ? std::span<const Item>(setting->items) : std::span<const Item>();
}

void AppendPaths(const Layer& merged, Key key, RuleAccess access, Policy& policy) {
  for (const Item& item : Items(merged, key)) {
    policy.paths.push_back({access, item.text, item.origin});
  }
}

EnvRule MakeEnvRule(const Item& item) {
  const std::size_t equals = item.text.find('=');
  if (equals == std::string::npos) return {item.text, std::nullopt, item.origin};
  return {item.text.substr(0, equals), item.text.substr(equals + 1), item.origin};
}

std::string Anchored(string_view path, string_view directory, bool pattern) {
  if (path.empty() || path[0] == '/' || path[0] == '~') return std::string(path);
  AbsolutePath at = *AbsolutePath::Parse(directory);
  while (path == ".." || path.starts_with("../")) {
    at = at.Parent();
    path.remove_prefix(std::min<std::size_t>(3, path.size()));
  }
  if (path == ".") path = {};
  std::string out = pattern ? GlobEscape(at.text()) : at.text();
  if (path.empty()) return out;
  if (!at.IsRoot()) out += '/';
  return out += path;
}

}  // namespace

Layer BuiltinLayer() {
  Layer layer;
  layer.kind = LayerKind::kBuiltin;
  const Origin origin{LayerKind::kBuiltin, "default", 0, 0};
  for (const KeySpec& key : AllKeys()) {
    if (key.type == KeyType::kChoice) {
      layer.At(key.key) = Setting{{{std::string(key.default_value), "", "", origin}}, origin};
    }
  }
  Setting gaps{{}, origin};
  for (const GapSpec& gap : AllGaps()) {
    if (gap.accepted) gaps.items.push_back({std::string(gap.name), "", "", origin});
  }
  layer.At(Key::kAcceptGaps) = std::move(gaps);
  return layer;
}

Layer MergeLayers(std::vector<Layer> layers) {
  Layer merged;
  for (Layer& layer : layers) {
    for (const KeySpec& key : AllKeys()) {
      std::optional<Setting>& from = layer.At(key.key);
      if (!from) continue;
      std::optional<Setting>& into = merged.At(key.key);
      if (!into || key.merge == MergeRule::kReplace) {
        into = std::move(from);
      } else {
        std::move(from->items.begin(), from->items.end(), std::back_inserter(into->items));
        into->origin = from->origin;
      }
    }
  }
  return merged;
}

Policy MakePolicy(const Layer& merged) {
  Policy policy;
  policy.view = Choice<View>(merged, Key::kView);
  policy.home = Choice<HomeMode>(merged, Key::kHome);
  policy.network = Choice<Network>(merged, Key::kNetwork);
  policy.engine = Choice<EngineChoice>(merged, Key::kEngine);
  // Standing in a folder is how a person names it: as deliberate as a flag.
  policy.workspace.origin = {LayerKind::kCommandLine, "the current directory", 0, 0};
  if (merged.Get(Key::kWorkspace)) {
    policy.workspace = {Only(merged, Key::kWorkspace).text, Only(merged, Key::kWorkspace).origin};
  }
  policy.workspace_mode.origin = policy.workspace.origin;
  if (merged.Get(Key::kReadOnly)) {
    const Item& item = Only(merged, Key::kReadOnly);
    policy.workspace_mode = {item.text == "true" ? WorkspaceMode::kRead : WorkspaceMode::kWrite,
                             item.origin};
  }
  policy.tty.origin = {LayerKind::kBuiltin, "default", 0, 0};
  if (merged.Get(Key::kTty)) {
    const Item& item = Only(merged, Key::kTty);
    policy.tty = {item.text == "true" ? Tty::kAlways : Tty::kNever, item.origin};
  }
  AppendPaths(merged, Key::kRo, RuleAccess::kRead, policy);
  AppendPaths(merged, Key::kRw, RuleAccess::kWrite, policy);
  AppendPaths(merged, Key::kHide, RuleAccess::kHide, policy);
  for (const Item& item : Items(merged, Key::kBind)) {
    const RuleAccess access = item.mode == "rw" ? RuleAccess::kWrite : RuleAccess::kRead;
    policy.binds.push_back({item.text, item.target, access, item.origin});
  }
  for (const Item& item : Items(merged, Key::kEnv)) policy.env.push_back(MakeEnvRule(item));
  if (merged.Get(Key::kCommand)) policy.command_origin = merged.Get(Key::kCommand)->origin;
  for (const Key key : {Key::kCommand, Key::kArgs}) {
    for (const Item& item : Items(merged, key)) policy.command.push_back(item.text);
  }
  for (const Item& item : Items(merged, Key::kRequire)) {
    policy.require.push_back({item.text, item.origin});
  }
  for (const Item& item : Items(merged, Key::kAcceptGaps)) {
    policy.accept_gaps.push_back({item.text, item.origin});
  }
  return policy;
}

std::string AnchoredPath(string_view path, string_view current_directory) {
  if (current_directory.empty()) return std::string(path);
  return Anchored(path, current_directory, false);
}

void AnchorPaths(Layer& layer, string_view current_directory) {
  for (const KeySpec& key : AllKeys()) {
    const bool pattern = key.type == KeyType::kPathList;
    if (!pattern && key.type != KeyType::kPath && key.type != KeyType::kBindList) continue;
    std::optional<Setting>& setting = layer.At(key.key);
    if (!setting) continue;
    for (Item& item : setting->items) {
      item.text = Anchored(item.text, current_directory, pattern);
      if (key.type == KeyType::kBindList) {
        item.target = Anchored(item.target, current_directory, false);
      }
    }
  }
}

string_view WordFor(View view) { return WordOf(Key::kView, view); }
string_view WordFor(HomeMode home) { return WordOf(Key::kHome, home); }
string_view WordFor(Network network) { return WordOf(Key::kNetwork, network); }

string_view WordFor(RuleAccess access) {
  switch (access) {
    case RuleAccess::kHide:
      return "hide";
    case RuleAccess::kRead:
      return "ro";
    case RuleAccess::kWrite:
      return "rw";
  }
  return "?";
}

}  // namespace asb
