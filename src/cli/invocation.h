// argv → Invocation. One pass, one table of flags, every mistake at once.
//
//   agent-sandbox [OPTIONS] [--] CMD…        run CMD
//   agent-sandbox [OPTIONS] COMMAND …        a first word that names a command is that command
//   agent-sandbox [OPTIONS] -- plan          … unless -- stands before it: a program called plan
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "cli/options.h"
#include "policy/layer.h"

namespace asb {

struct Invocation {
  CommandId command = CommandId::kRun;
  bool command_named = false;  ///< false: the word "run" was left out
  Layer layer;                 ///< the settings given as flags; paths as typed
  std::optional<std::string> config;
  std::optional<std::string> profile;
  std::optional<std::string> policy_fd;      ///< a policy that came by descriptor,
  std::optional<std::string> policy_digest;  ///< and what it hashes to
  std::optional<std::string> facts;
  bool no_config = false;
  bool json = false;
  bool argv = false;
  bool print_facts = false;
  bool print_policy = false;
  bool list = false;
  bool all = false;
  bool dry_run = false;
  std::optional<std::string> older_than;
  std::optional<std::string> max_size;
  bool quiet = false;
  bool debug = false;
  bool help = false;
  bool version = false;
  std::vector<std::string> words;  ///< the program and its arguments, or subjects
  bool words_follow_dashes = false;
};

struct ParsedInvocation {
  Invocation invocation;
  Diagnostics diagnostics;
};

/// `args` without the program's own name.
ParsedInvocation ParseInvocation(std::span<const char* const> args);

}  // namespace asb
