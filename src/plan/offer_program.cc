#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "plan/offers.h"

namespace asb {
namespace {

using std::string_view;

constexpr int kMostInterpreters = 4;  // a script may be read by a script

/// Folders in which programs of an installation lie, one level below it.
constexpr std::array<string_view, 4> kProgramFolders{"bin", "sbin", "libexec", "shims"};
/// What is in the top folder of an installation, so that a folder of projects is not taken for one.
constexpr std::array<string_view, 3> kMarks{"pyvenv.cfg", "conda-meta", "lib/node_modules"};
/// What of a marked folder belongs to the installation: a mark can be planted in a project.
constexpr std::array<string_view, 10> kParts{"bin",        "lib",     "lib32", "lib64",
                                             "libexec",    "include", "share", "conda-meta",
                                             "pyvenv.cfg", "ssl"};
/// Folders that many programs share: never the installation of one.
constexpr std::array<string_view, 5> kShared{".config", ".cache", ".local", ".local/share",
                                             ".local/state"};

template <typename Words>
bool IsOneOf(const Words& words, string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "/usr/bin/env -S node --flag" → "/usr/bin/env", "-S", "node", "--flag"
std::vector<std::string> Words(string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t\r", at), text.size());
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

class ProgramFinder {
 public:
  ProgramFinder(const std::vector<std::string>& search_path, std::span<const BuiltinPath> system,
                FileSource& host, RuleSet& set)
      : search_path_(search_path), system_(system), host_(host), resolver_(host), set_(set) {}

  void OfferSearchFolders();
  void OfferCommand(const std::string& word) { Follow(Find(word), kMostInterpreters); }

 private:
  std::optional<Resolved> Find(const std::string& word);
  std::optional<Resolved> ResolveFile(const std::string& path);
  void Follow(const std::optional<Resolved>& file, int more);
  void FollowScript(const AbsolutePath& file, int more);
  void OfferInstallation(const AbsolutePath& file);
  void OfferPlace(const AbsolutePath& path, string_view why);
  void Add(Resolved place, string_view why);
  [[nodiscard]] bool IsBelowHome(const AbsolutePath& path) const {
    return path.IsWithin(set_.home) && path != set_.home;
  }
  [[nodiscard]] bool IsBelowDot(const AbsolutePath& path) const;
  [[nodiscard]] bool HoldsSoftware(const AbsolutePath& path) const;
  [[nodiscard]] bool IsMarked(const AbsolutePath& folder);
  [[nodiscard]] bool CanBeTrusted(const Resolved& path) const;
  [[nodiscard]] bool IsThere(const AbsolutePath& path);

  const std::vector<std::string>& search_path_;
  std::span<const BuiltinPath> system_;
  FileSource& host_;
  Resolver resolver_;
  RuleSet& set_;
  std::set<AbsolutePath> offered_;
};

/// The file that the shell would execute.
std::optional<Resolved> ProgramFinder::Find(const std::string& word) {
  if (word.find('/') != std::string::npos) {
    return ResolveFile(word.starts_with('/') ? word
                                             : fmt::format("{}/{}", set_.workspace.text(), word));
  }
  for (const std::string& folder : search_path_) {
    if (auto found = ResolveFile(fmt::format("{}/{}", folder, word))) return found;
  }
  return std::nullopt;
}

std::optional<Resolved> ProgramFinder::ResolveFile(const std::string& path) {
  const Result<AbsolutePath> absolute = AbsolutePath::Parse(path);
  if (!absolute) return std::nullopt;  // "../x": from the workspace, where nothing is followed
  Result<Resolved> found = resolver_.Resolve(*absolute);
  if (!found || found->kind != FileKind::kFile) return std::nullopt;
  return std::move(*found);
}

/// A folder with a dot in front, directly below the home, or what lies in one: where installers put
/// things, and people do not work.
bool ProgramFinder::IsBelowDot(const AbsolutePath& path) const {
  return IsBelowHome(path) && path.text()[set_.home.text().size() + 1] == '.';
}

/// Whether a link or a script at `path` can be believed: no run can have put it there unless it was
/// given that very place.
bool ProgramFinder::HoldsSoftware(const AbsolutePath& path) const {
  if (CouldBeWritten(set_, path)) return false;
  if (IsBelowDot(path) || path.IsWithin(set_.home.Child("bin"))) return true;
  return std::any_of(system_.begin(), system_.end(), [&](const BuiltinPath& row) {
    const auto place = AbsolutePath::Parse(row.path);
    return row.access == BuiltinAccess::kRead && place && path.IsWithin(*place);
  });
}

/// Not when a link on the way may be the work of a run, or the place itself this run's.
bool ProgramFinder::CanBeTrusted(const Resolved& path) const {
  return !CouldBeWritten(set_, path.real) &&
         std::all_of(path.hops.begin(), path.hops.end(),
                     [this](const LinkHop& hop) { return HoldsSoftware(hop.at); });
}

void ProgramFinder::Follow(const std::optional<Resolved>& file, int more) {
  if (!file || more == 0 || !CanBeTrusted(*file)) return;
  Add(*file, "the command's program");
  for (const LinkHop& hop : file->hops) OfferInstallation(hop.at);
  OfferInstallation(file->real);
  if (HoldsSoftware(file->real)) FollowScript(file->real, more - 1);
}

void ProgramFinder::FollowScript(const AbsolutePath& file, int more) {
  const std::string line = host_.FirstLine(file, "#!");
  const std::vector<std::string> words = Words(string_view(line).substr(line.empty() ? 0 : 2));
  if (words.empty() || !words[0].starts_with('/')) return;
  Follow(ResolveFile(words[0]), more);
  if (!words[0].ends_with("/env")) return;
  const auto program = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
    return !word.starts_with('-') && word.find('=') == std::string::npos;
  });
  if (program != words.end()) Follow(Find(*program), more);
}

bool ProgramFinder::IsThere(const AbsolutePath& path) {
  const Result<Resolved> found = resolver_.Resolve(path);
  return found && found->kind != FileKind::kMissing && found->kind != FileKind::kUnreadable;
}

bool ProgramFinder::IsMarked(const AbsolutePath& folder) {
  return std::any_of(kMarks.begin(), kMarks.end(), [&](string_view mark) {
    const auto path = AbsolutePath::Parse(fmt::format("{}/{}", folder.text(), mark));
    return path && IsThere(*path);
  });
}

/// What `file` was installed with: a folder below one with a dot in front as a whole, one that
/// bears a mark by its parts.
void ProgramFinder::OfferInstallation(const AbsolutePath& file) {
  if (!IsBelowHome(file)) return;
  const string_view text = file.text();
  AbsolutePath top = file.Parent();
  if (const std::size_t at = text.find("/node_modules/"); at != string_view::npos) {
    top = AbsolutePath::Parse(text.substr(0, at)).value_or(AbsolutePath());
    if (top.Name() == "lib") top = top.Parent();
  } else if (IsOneOf(kProgramFolders, top.Name())) {
    top = top.Parent();
  } else {
    return;  // a single file
  }
  constexpr string_view kWhy = "installed with the command's program";
  if (top == set_.home.Child(".local")) top = top.Child("lib");  // where pip --user puts things
  if (!IsBelowHome(top) || set_.workspace.IsWithin(top)) return;
  if (IsBelowDot(top)) {
    const std::string below = top.text().substr(set_.home.text().size() + 1);
    if (!IsOneOf(kShared, below)) OfferPlace(top, kWhy);
  } else if (IsMarked(top)) {
    for (const string_view part : kParts) OfferPlace(top.Child(part), kWhy);
  }
}

void ProgramFinder::OfferPlace(const AbsolutePath& path, string_view why) {
  Result<Resolved> found = resolver_.Resolve(path);
  const bool usable = found && (found->kind == FileKind::kFolder || found->kind == FileKind::kFile);
  if (usable && CanBeTrusted(*found)) Add(std::move(*found), why);
}

void ProgramFinder::OfferSearchFolders() {
  for (const std::string& text : search_path_) {
    const Result<AbsolutePath> path = AbsolutePath::Parse(text);
    const Result<Resolved> folder =
        path ? resolver_.Resolve(*path) : tl::make_unexpected(path.error());
    if (!folder || folder->kind != FileKind::kFolder || !IsBelowHome(folder->real)) continue;
    const std::string below = folder->real.text().substr(set_.home.text().size() + 1);
    if (set_.workspace.IsWithin(folder->real) || IsOneOf(kShared, below)) continue;
    OfferPlace(folder->spelled, "a folder of PATH");
  }
}

void ProgramFinder::Add(Resolved place, string_view why) {
  if (!offered_.insert(place.spelled).second) return;
  ViewRule rule{Access::kRead,
                std::move(place),
                std::nullopt,
                {std::string(why), {LayerKind::kBuiltin, "program search", 0, 0}}};
  set_.offers.push_back({{std::move(rule)}, Offer::Over::kNothing});
}

/// The folders in which the command will be looked for.
std::vector<std::string> SearchPath(const Policy& policy, const HostFacts& facts) {
  const EnvRule* set = nullptr;
  for (const EnvRule& rule : policy.env) {
    const bool higher = set == nullptr || rule.origin.layer >= set->origin.layer;
    if (rule.name == "PATH" && rule.value && higher) set = &rule;
  }
  return set == nullptr ? facts.search_path : AbsoluteFolders(*set->value);
}

}  // namespace

bool CouldBeWritten(const RuleSet& set, const AbsolutePath& path) {
  if (path.IsWithin(set.workspace)) return true;
  return std::any_of(set.rules.begin(), set.rules.end(), [&](const ViewRule& rule) {
    const AbsolutePath& shown = rule.source ? rule.source->real : rule.at.real;
    return rule.access == Access::kWrite && path.IsWithin(shown);
  });
}

void OfferProgram(const std::vector<std::string>& command, const Policy& policy,
                  const HostFacts& facts, std::span<const BuiltinPath> system, FileSource& host,
                  RuleSet& set) {
  const std::vector<std::string> search_path = SearchPath(policy, facts);
  ProgramFinder finder(search_path, system, host, set);
  finder.OfferSearchFolders();
  if (!command.empty()) finder.OfferCommand(command.front());
}

}  // namespace asb
