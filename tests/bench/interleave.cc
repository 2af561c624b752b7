// interleave RUNS -- CMD… -- CMD…: runs the commands in turn, RUNS times each, with their output
// thrown away, and prints "p10 p50" in microseconds for each, one line a command. In turn, so that
// whatever else the machine does meets all of them alike. A word @FILE stands for the words in
// FILE, each ended by a NUL.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Command = std::vector<char*>;

/// Microseconds from spawn to exit; ends the program when the command fails.
double RunOnce(const Command& command) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child = 0;
  const int error = posix_spawn(&child, command[0], &actions, nullptr, command.data(), environ);
  int status = 0;
  if (error != 0 || waitpid(child, &status, 0) != child || status != 0) {
    fmt::print(stderr, "interleave: {} failed\n", command[0]);
    std::exit(1);
  }
  const auto end = std::chrono::steady_clock::now();
  posix_spawn_file_actions_destroy(&actions);
  return std::chrono::duration<double, std::micro>(end - begin).count();
}

std::vector<std::string> Words(const char* file) {
  std::ifstream in(file, std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Command> commands;
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--") {
      commands.emplace_back();
    } else if (!commands.empty() && argv[i][0] == '@') {
      for (const std::string& word : Words(argv[i] + 1))
        commands.back().push_back(strdup(word.c_str()));
    } else if (!commands.empty()) {
      commands.back().push_back(argv[i]);
    }
  }
  const int runs = argc > 1 ? std::atoi(argv[1]) : 0;
  if (commands.empty() || runs < 1) {
    fmt::print(stderr, "usage: interleave RUNS -- CMD… [-- CMD…]\n");
    return 2;
  }
  std::vector<std::vector<double>> times(commands.size());
  for (Command& command : commands) command.push_back(nullptr);
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < commands.size(); ++i) times[i].push_back(RunOnce(commands[i]));
  }
  for (std::vector<double>& row : times) {
    std::sort(row.begin(), row.end());
    fmt::print("{:.0f} {:.0f}\n", row[row.size() / 10], row[row.size() / 2]);
  }
  return 0;
}
