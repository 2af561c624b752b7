// The format of tests/cases/*.cases: policy + facts → plan, or the exact messages.
//
//   === A name that is a sentence
//   == args            words behind "agent-sandbox", one a line (optional; default: plan);
//                      "" is an empty word
//   == tables          "shipped" uses data/*.toml, "secrets" only data/secrets.toml,
//                      "sensitive" only data/sensitive.toml; without this
//                      section there are no builtin rows
//   == policy          TOML, known as config.toml (optional)
//   == host NAME       hosts/NAME.json, then one fact a line:
//                        folder|file|socket|fifo|device|unreadable|missing PATH
//                        link PATH TARGET      list FOLDER NAME…     env NAME…
//                        cwd PATH              policy-file PATH      path FOLDER…
//                        line FILE FIRST-LINE  mount DEVICE ROOT AT TYPE
//                        own-program FILE      runtime FOLDER        linked-file FILE
//                        unlistable FOLDER
//                        bytes \xNN in a PATH are that byte, "\ " a blank
//   == plan            one step a line, see Compact() in cases_test.cc, or
//   == errors CODE     exactly what standard error shows, and the exit code
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan/facts.h"

namespace asb {

struct Case {
  std::string name;
  std::string file;
  std::vector<std::string> args{"plan"};
  bool shipped_tables = false;
  bool secret_table = false;
  bool sensitive_table = false;
  std::optional<std::string> policy;
  HostFacts host;
  bool expects_errors = false;
  int exit_code = 0;
  std::string expected;
  std::size_t expected_at = 0;  ///< where the expected text starts in its file, in bytes
};

/// Ends the test program with a message when a file is not in the format.
std::vector<Case> ReadCases(const std::string& file);

}  // namespace asb
