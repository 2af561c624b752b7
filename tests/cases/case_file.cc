#include "case_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "plan/facts_json.h"

namespace asb {
namespace {

using std::string_view;

[[noreturn]] void Die(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  std::exit(1);
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) Die(fmt::format("cannot read {}", path));
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Words of a line; "\ " is a blank, "\n" a newline, "\xNN" a byte.
std::vector<std::string> Words(string_view line) {
  std::vector<std::string> out;
  std::string word;
  bool open = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') {
      if (open) out.push_back(word);
      word.clear();
      open = false;
      continue;
    }
    open = true;
    if (line[i] != '\\' || i + 1 >= line.size()) {
      word += line[i];
    } else if (line[i + 1] == 'x' && i + 3 < line.size()) {
      word += static_cast<char>(std::stoi(std::string(line.substr(i + 2, 2)), nullptr, 16));
      i += 3;
    } else {
      word += line[i + 1] == 'n' ? '\n' : line[i + 1];
      ++i;
    }
  }
  if (open) out.push_back(word);
  return out;
}

AbsolutePath PathOf(const std::string& text) {
  const Result<AbsolutePath> path = AbsolutePath::Parse(text);
  if (!path) Die(fmt::format("'{}': {}", text, path.error().what));
  return *path;
}

void AddFile(const std::string& text, FileFact fact, HostFacts& host) {
  const AbsolutePath path = PathOf(text);
  host.files[path] = std::move(fact);
  for (AbsolutePath at = path.Parent(); !at.IsRoot(); at = at.Parent()) {
    host.files.try_emplace(at, FileFact{FileKind::kFolder, ""});
  }
}

void AddFact(const std::vector<std::string>& words, HostFacts& host) {
  static const std::map<string_view, FileKind> kKinds{
      {"folder", FileKind::kFolder},  {"file", FileKind::kFile},
      {"socket", FileKind::kSocket},  {"fifo", FileKind::kFifo},
      {"device", FileKind::kDevice},  {"unreadable", FileKind::kUnreadable},
      {"missing", FileKind::kMissing}};
  const auto kind = kKinds.find(words[0]);
  if (kind != kKinds.end() && words.size() == 2) {
    AddFile(words[1], {kind->second, ""}, host);
  } else if (words[0] == "link" && words.size() == 3) {
    AddFile(words[1], {FileKind::kLink, words[2]}, host);
  } else if (words[0] == "list" && words.size() >= 2) {
    Listing& listing = host.listings[PathOf(words[1])];
    listing.names.assign(words.begin() + 2, words.end());
    std::sort(listing.names.begin(), listing.names.end());
  } else if (words[0] == "unlistable" && words.size() == 2) {
    host.listings[PathOf(words[1])].problem = "cannot be listed";
  } else if (words[0] == "env") {
    host.environment.insert(host.environment.end(), words.begin() + 1, words.end());
    std::sort(host.environment.begin(), host.environment.end());
  } else if (words[0] == "policy-file" && words.size() == 2) {
    host.policy_file = words[1];
  } else if (words[0] == "linked-file" && words.size() == 2) {
    AddFile(words[1], {FileKind::kFile, "", true}, host);
  } else if (words[0] == "path" && words.size() >= 2) {
    host.search_path.assign(words.begin() + 1, words.end());
  } else if (words[0] == "line" && words.size() == 3) {
    AddFile(words[1], {FileKind::kFile, ""}, host);
    host.first_lines[PathOf(words[1])] = words[2];
  } else if (words[0] == "mount" && words.size() == 5) {
    host.mounts.push_back({words[1], PathOf(words[2]), PathOf(words[3]), words[4]});
  } else if (words[0] == "own-program" && words.size() == 2) {
    AddFile(words[1], {FileKind::kFile, ""}, host);
    host.own_programs.push_back(words[1]);
  } else if (words[0] == "runtime" && words.size() == 2) {
    host.runtime_folder = words[1];
  } else if (words[0] == "cwd" && words.size() == 2) {
    host.current_directory = words[1];
  } else {
    Die(fmt::format("not a fact: {}", fmt::join(words, " ")));
  }
}

class CaseReader {
 public:
  CaseReader(const std::string& file, std::vector<Case>& out)
      : file_(file), text_(ReadAll(file)), out_(out) {}

  void Read() {
    std::size_t at = 0;
    while (at < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      const string_view line = string_view(text_).substr(at, end - at);
      at = std::min(end + 1, text_.size());
      if (line.starts_with("=== ")) {
        out_.emplace_back();
        out_.back().name = line.substr(4);
        out_.back().file = file_;
        section_.clear();
      } else if (line.starts_with("== ")) {
        Open(Words(line.substr(3)), at);
      } else if (!section_.empty()) {
        TakeLine(line);
      }
    }
  }

 private:
  void Open(const std::vector<std::string>& head, std::size_t at) {
    if (out_.empty()) Die(fmt::format("{}: a section before the first case", file_));
    Case& current = out_.back();
    section_ = head[0];
    if (section_ == "args") {
      current.args.clear();
    } else if (section_ == "policy") {
      current.policy.emplace();
    } else if (section_ == "tables") {
      // its line says which
    } else if (section_ == "host" && head.size() == 2) {
      Result<HostFacts> host =
          FactsFromJson(ReadAll(fmt::format("tests/cases/hosts/{}.json", head[1])));
      if (!host) Die(fmt::format("host {}: {}", head[1], host.error().what));
      current.host = std::move(*host);
    } else if (section_ == "plan") {
      current.expected_at = at;
    } else if (section_ == "errors" && head.size() == 2) {
      current.expects_errors = true;
      current.exit_code = std::stoi(head[1]);
      current.expected_at = at;
    } else {
      Die(fmt::format("{}: case '{}': unknown section '{}'", file_, current.name, section_));
    }
  }

  void TakeLine(string_view line) {
    Case& current = out_.back();
    if (section_ == "args") {
      const auto words = Words(line);
      if (!words.empty()) current.args.push_back(words[0] == "\"\"" ? "" : words[0]);
    } else if (section_ == "tables") {
      current.shipped_tables = current.shipped_tables || line == "shipped";
      current.secret_table = current.secret_table || line == "secrets";
      current.sensitive_table = current.sensitive_table || line == "sensitive";
    } else if (section_ == "policy") {
      *current.policy += fmt::format("{}\n", line);
    } else if (section_ == "host") {
      const auto words = Words(line);
      if (!words.empty()) AddFact(words, current.host);
    } else if (section_ == "plan" || section_ == "errors") {
      if (!line.empty()) current.expected += fmt::format("{}\n", line);
    }
  }

  std::string file_;
  std::string text_;
  std::vector<Case>& out_;
  std::string section_;
};

}  // namespace

std::vector<Case> ReadCases(const std::string& file) {
  std::vector<Case> out;
  CaseReader(file, out).Read();
  return out;
}

}  // namespace asb
