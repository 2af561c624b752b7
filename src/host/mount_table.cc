#include "host/mount_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "plan/causes.h"
#include "sys/files.h"

namespace asb {
namespace {

using std::string_view;

constexpr const char* kTable = "/proc/self/mountinfo";
constexpr std::size_t kLargestTable = std::size_t{64} << 20U;

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

/// The kernel writes blanks, tabs, newlines and backslashes as \040 and the like.
std::string Unescaped(string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 3 < text.size() && IsOctal(text[i + 1]) &&
                        IsOctal(text[i + 2]) && IsOctal(text[i + 3]);
    if (!escape) {
      out += text[i];
      continue;
    }
    const int value = ((text[i + 1] - '0') * 64) + ((text[i + 2] - '0') * 8) + (text[i + 3] - '0');
    out += static_cast<char>(value);
    i += 3;
  }
  return out;
}

/// Takes the next word off the front of `line`.
string_view NextWord(string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

}  // namespace

std::vector<MountFact> ParseMountTable(string_view text) {
  std::vector<MountFact> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    NextWord(line);  // the mount's number
    NextWord(line);  // its parent's
    const string_view device = NextWord(line);
    auto root = AbsolutePath::Parse(Unescaped(NextWord(line)));
    auto at = AbsolutePath::Parse(Unescaped(NextWord(line)));
    const std::size_t behind = line.find(" - ");
    if (!root || !at || behind == string_view::npos) continue;
    line.remove_prefix(behind + 3);
    out.push_back(
        {std::string(device), std::move(*root), std::move(*at), std::string(NextWord(line))});
  }
  return out;
}

Result<std::vector<MountFact>> ReadMountTable() {
  const auto text = ReadRegularFile(kTable, kLargestTable);
  if (text) return ParseMountTable(*text);
  // Without /proc no run comes far, and that is then the reason to name.
  if (text.error().sys_errno == ENOENT) return std::vector<MountFact>();
  return tl::make_unexpected(NotBuilt(
      fmt::format("reading {}: {}", kTable, text.error().what),
      {CauseId::kNoProc, "what is mounted at two places cannot be told"}, text.error().sys_errno));
}

}  // namespace asb
