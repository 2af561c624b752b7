// Small builders for tests of plan/: a described host and a policy made of rules. Header-only and
// included by *_test.cc alone.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/compile.h"
#include "plan/facts.h"
#include "policy/policy.h"

namespace asb::testing {

inline AbsolutePath Path(std::string_view text) { return AbsolutePath::Parse(text).value(); }

/// A host with a user `u`, a workspace and the product's own folders, and nothing else.
inline HostFacts SmallHost() {
  HostFacts facts;
  facts.unlisted = FileKind::kMissing;
  facts.engines.push_back({"bubblewrap", "/usr/bin/bwrap"});
  facts.user = {1000, 1000, "u", "/home/u", "/bin/sh"};
  facts.current_directory = "/ws";
  facts.config_folder = "/home/u/.config/agent-sandbox";
  facts.state_folder = "/home/u/.local/state/agent-sandbox";
  for (const char* folder : {"/home", "/home/u", "/ws"}) {
    facts.files[Path(folder)] = {FileKind::kFolder, ""};
  }
  return facts;
}

/// Adds `path` and, where nothing is there yet, the folders above it.
inline void Add(HostFacts& facts, std::string_view text, FileKind kind, std::string target = {}) {
  const AbsolutePath path = Path(text);
  facts.files[path] = {kind, std::move(target)};
  for (AbsolutePath at = path.Parent(); !at.IsRoot(); at = at.Parent()) {
    facts.files.try_emplace(at, FileFact{FileKind::kFolder, ""});
  }
}

inline Policy DefaultPolicy() {
  const std::vector<Layer> layers{BuiltinLayer()};
  return MakePolicy(MergeLayers(layers));
}

inline PathRule Rule(RuleAccess access, std::string path, LayerKind layer = LayerKind::kUser,
                     std::uint32_t line = 1) {
  return {access, std::move(path), {layer, "test.toml", line, 1}};
}

inline Compiled Compile(const Policy& policy, const HostFacts& facts) {
  return CompilePlan(policy, facts, {"true"}, BuiltinTables{});
}

}  // namespace asb::testing
