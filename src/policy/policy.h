// What the user wants: all layers merged, typed, each value with its origin. Plain data; the
// default of every member is its most closed value.
//
// Paths are still as written: absolute, "~/…", or "./…" for the workspace, and may hold patterns.
// What they mean on a host is the business of plan/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "policy/layer.h"

namespace asb {

enum class View : std::uint8_t { kWhitelist, kBlacklist };
enum class HomeMode : std::uint8_t { kPrivate, kKept, kRead, kWrite };
enum class Network : std::uint8_t { kNone, kLoopback, kOpen };
enum class Tty : std::uint8_t { kAuto, kAlways, kNever };
enum class EngineChoice : std::uint8_t { kAuto, kBubblewrap };
enum class WorkspaceMode : std::uint8_t { kWrite, kRead };
enum class RuleAccess : std::uint8_t { kHide, kRead, kWrite };

/// A value and who said it.
template <typename T>
struct Sourced {
  T value{};
  Origin origin;
};

struct PathRule {
  RuleAccess access = RuleAccess::kHide;
  std::string pattern;
  Origin origin;
};

struct BindRule {
  std::string source;
  std::string target;
  RuleAccess access = RuleAccess::kRead;
  Origin origin;
};

struct EnvRule {
  std::string name;                  ///< may end in or hold '*' when there is no value
  std::optional<std::string> value;  ///< set to this; otherwise passed from the caller
  Origin origin;
};

struct Policy {
  Sourced<View> view;
  Sourced<HomeMode> home;
  Sourced<std::string> workspace;  ///< empty: the current directory
  Sourced<WorkspaceMode> workspace_mode;
  std::vector<PathRule> paths;  ///< ro, rw and hide of all layers
  std::vector<BindRule> binds;
  Sourced<Network> network;
  std::vector<EnvRule> env;
  std::vector<std::string> command;  ///< command, then args
  Origin command_origin;
  Sourced<Tty> tty;
  Sourced<EngineChoice> engine;
  std::vector<Sourced<std::string>> require;      ///< names of gaps
  std::vector<Sourced<std::string>> accept_gaps;  ///< names of gaps
};

/// The settings that hold when nobody says anything.
Layer BuiltinLayer();

/// Merges `layers`, lowest first, by each key's rule. Every layer must have been checked.
Layer MergeLayers(std::vector<Layer> layers);

/// The typed form of a merged layer that includes BuiltinLayer().
Policy MakePolicy(const Layer& merged);

/// Rewrites the relative paths of a command-line layer to start at `current_directory`, which the
/// kernel gave and therefore holds no link. Leading "../" climb from there.
void AnchorPaths(Layer& layer, std::string_view current_directory);

/// A path as typed on the command line, starting at `current_directory` when it is relative.
std::string AnchoredPath(std::string_view path, std::string_view current_directory);

/// The word that stands for a value in TOML, JSON and messages.
std::string_view WordFor(View view);
std::string_view WordFor(HomeMode home);
std::string_view WordFor(Network network);
std::string_view WordFor(RuleAccess access);

}  // namespace asb
