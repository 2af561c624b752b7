#include "plan/facts_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"
#include "plan/json.h"

namespace asb {
namespace {

struct KindWord {
  FileKind kind;
  std::string_view word;
};

constexpr std::array<KindWord, 9> kKindWords{{
    {FileKind::kMissing, "missing"},
    {FileKind::kFolder, "folder"},
    {FileKind::kFile, "file"},
    {FileKind::kSocket, "socket"},
    {FileKind::kFifo, "fifo"},
    {FileKind::kDevice, "device"},
    {FileKind::kKernel, "kernel"},
    {FileKind::kUnreadable, "unreadable"},
    {FileKind::kUnknown, "unknown"},
}};

std::string_view WordOf(FileKind kind) {
  for (const KindWord& row : kKindWords) {
    if (row.kind == kind) return row.word;
  }
  return "link";
}

/// One file is {"path": …, "kind": "folder"} or {"path": …, "link": "usr/bin"}.
Json JsonOf(const AbsolutePath& path, const FileFact& fact) {
  Json row{{"path", JsonBytes(path.text())}};
  if (fact.kind == FileKind::kLink) {
    row["link"] = JsonBytes(fact.link_target);
  } else {
    row["kind"] = std::string(WordOf(fact.kind));
    if (fact.has_other_names) row["other-names"] = true;
  }
  return row;
}

/// Reads members by name and remembers the first thing that is wrong.
class Reader {
 public:
  explicit Reader(HostFacts& facts) : facts_(facts) {}

  Result<HostFacts> Read(const Json& json);

 private:
  void Wrong(std::string what) {
    if (error_.empty()) error_ = std::move(what);
  }
  void CheckMembers(const Json& json, std::string_view where,
                    std::initializer_list<std::string_view> known);
  std::string Text(const Json& json, std::string_view where);
  std::string Member(const Json& json, const char* name) {
    return json.contains(name) ? Text(json[name], name) : std::string();
  }
  std::uint32_t Number(const Json& json, const char* name);
  const Json& List(const Json& json, const char* name);
  std::optional<AbsolutePath> Path(const Json& json, std::string_view where);
  std::vector<std::string> Texts(const Json& json, const char* name);
  void ReadUser(const Json& json);
  void ReadAccount(const Json& row);
  void ReadGroup(const Json& row);
  void ReadMount(const Json& row);
  void ReadFile(const Json& row);
  void ReadListing(const Json& row);
  void AddFoldersAbove(const AbsolutePath& path);

  HostFacts& facts_;
  std::string error_;
};

void Reader::CheckMembers(const Json& json, std::string_view where,
                          std::initializer_list<std::string_view> known) {
  if (!json.is_object()) {
    Wrong(fmt::format("{} must be an object", where));
    return;
  }
  for (const auto& [name, value] : json.items()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto nearest = NearestWord(name, std::span(known.begin(), known.size()));
    Wrong(fmt::format("unknown member '{}' in {}{}", Printable(name), where,
                      nearest ? fmt::format("; did you mean '{}'?", *nearest) : ""));
  }
}

std::string Reader::Text(const Json& json, std::string_view where) {
  auto bytes = BytesOfJson(json);
  if (!bytes) Wrong(fmt::format("{} must be a string or {{\"hex\": …}}", where));
  return bytes.value_or("");
}

std::uint32_t Reader::Number(const Json& json, const char* name) {
  if (!json.contains(name)) return 0;
  const bool good =
      json[name].is_number_unsigned() && json[name].get<std::uint64_t>() <= UINT32_MAX;
  if (!good) Wrong(fmt::format("{} must be a whole number from 0 to 4294967295", name));
  return good ? json[name].get<std::uint32_t>() : 0;
}

const Json& Reader::List(const Json& json, const char* name) {
  static const Json kNothing = Json::array();
  if (!json.contains(name)) return kNothing;
  if (json[name].is_array()) return json[name];
  Wrong(fmt::format("{} must be a list", name));
  return kNothing;
}

std::optional<AbsolutePath> Reader::Path(const Json& json, std::string_view where) {
  if (!json.is_object() || !json.contains("path")) {
    Wrong(fmt::format("a row of {} has no path", where));
    return std::nullopt;
  }
  const std::string text = Text(json["path"], where);
  Result<AbsolutePath> path = AbsolutePath::Parse(text);
  if (path) return std::move(*path);
  Wrong(fmt::format("{} '{}': {}", where, Printable(text), path.error().what));
  return std::nullopt;
}

void Reader::ReadUser(const Json& json) {
  CheckMembers(json, "user", {"uid", "gid", "name", "home", "shell", "real-name"});
  if (!json.is_object()) return;
  facts_.user = {Number(json, "uid"),  Number(json, "gid"),   Member(json, "name"),
                 Member(json, "home"), Member(json, "shell"), Member(json, "real-name")};
}

void Reader::ReadAccount(const Json& row) {
  CheckMembers(row, "accounts", {"name", "uid", "gid", "home", "shell"});
  if (!row.is_object()) return;
  facts_.accounts.push_back({Member(row, "name"), Number(row, "uid"), Number(row, "gid"),
                             Member(row, "home"), Member(row, "shell")});
}

void Reader::ReadGroup(const Json& row) {
  CheckMembers(row, "groups", {"name", "gid", "has-caller"});
  if (!row.is_object()) return;
  const bool has_caller = row.contains("has-caller") && row["has-caller"] == true;
  facts_.groups.push_back({Member(row, "name"), Number(row, "gid"), has_caller});
}

void Reader::ReadMount(const Json& row) {
  CheckMembers(row, "mounts", {"path", "root", "device", "type"});
  const auto at = Path(row, "mounts");
  if (!at) return;
  auto root = AbsolutePath::Parse(Member(row, "root"));
  if (!root) {
    Wrong(fmt::format("mounts '{}': root: {}", Printable(at->text()), root.error().what));
    return;
  }
  facts_.mounts.push_back({Member(row, "device"), std::move(*root), *at, Member(row, "type")});
}

std::vector<std::string> Reader::Texts(const Json& json, const char* name) {
  std::vector<std::string> out;
  for (const Json& text : List(json, name)) out.push_back(Text(text, name));
  return out;
}

void Reader::AddFoldersAbove(const AbsolutePath& path) {
  for (AbsolutePath at = path.Parent(); !at.IsRoot(); at = at.Parent()) {
    if (!facts_.files.try_emplace(at, FileFact{FileKind::kFolder, ""}).second) return;
  }
}

void Reader::ReadFile(const Json& row) {
  CheckMembers(row, "files", {"path", "kind", "link", "other-names"});
  const auto path = Path(row, "files");
  if (!path) return;
  FileFact fact{FileKind::kLink, ""};
  if (row.contains("link")) {
    fact.link_target = Text(row["link"], "link");
  } else {
    const std::string word = Member(row, "kind");
    const auto* const found = std::find_if(kKindWords.begin(), kKindWords.end(),
                                           [&](const KindWord& k) { return k.word == word; });
    if (found == kKindWords.end()) {
      Wrong(fmt::format("'{}' has no such kind: '{}'", Printable(path->text()), Printable(word)));
      return;
    }
    fact.kind = found->kind;
    fact.has_other_names = row.contains("other-names") && row["other-names"] == true;
  }
  facts_.files[*path] = std::move(fact);
}

void Reader::ReadListing(const Json& row) {
  CheckMembers(row, "listings", {"path", "names", "problem"});
  const auto path = Path(row, "listings");
  if (!path) return;
  Listing& listing = facts_.listings[*path];
  listing.names = Texts(row, "names");
  std::sort(listing.names.begin(), listing.names.end());
  listing.problem = Member(row, "problem");
}

Result<HostFacts> Reader::Read(const Json& json) {
  CheckMembers(json, "the facts",
               {"kernel",
                "architecture",
                "landlock-abi",
                "userns-denied",
                "engines",
                "user",
                "current-directory",
                "config-folder",
                "state-folder",
                "policy-file",
                "runtime-folder",
                "own-programs",
                "search-path",
                "environment",
                "accounts",
                "groups",
                "mounts",
                "unlisted",
                "files",
                "listings",
                "first-lines"});
  if (!json.is_object()) return Fail(ErrorKind::kPolicy, error_);
  facts_.kernel = Member(json, "kernel");
  facts_.architecture = Member(json, "architecture");
  facts_.landlock_abi = static_cast<int>(Number(json, "landlock-abi"));
  facts_.userns_denied = Member(json, "userns-denied");
  facts_.current_directory = Member(json, "current-directory");
  facts_.config_folder = Member(json, "config-folder");
  facts_.state_folder = Member(json, "state-folder");
  facts_.policy_file = Member(json, "policy-file");
  if (json.contains("user")) ReadUser(json["user"]);
  for (const Json& engine : List(json, "engines")) {
    CheckMembers(engine, "engines", {"name", "path", "unsafe-path"});
    if (!engine.is_object()) continue;
    facts_.engines.push_back(
        {Member(engine, "name"), Member(engine, "path"), Member(engine, "unsafe-path")});
  }
  facts_.runtime_folder = Member(json, "runtime-folder");
  facts_.own_programs = Texts(json, "own-programs");
  facts_.search_path = Texts(json, "search-path");
  facts_.environment = Texts(json, "environment");
  for (const Json& row : List(json, "accounts")) ReadAccount(row);
  for (const Json& row : List(json, "groups")) ReadGroup(row);
  for (const Json& row : List(json, "mounts")) ReadMount(row);
  std::sort(facts_.environment.begin(), facts_.environment.end());
  const std::string unlisted = Member(json, "unlisted");
  if (unlisted != "missing" && unlisted != "unknown" && !unlisted.empty()) {
    Wrong("unlisted must be missing or unknown");
  }
  facts_.unlisted = unlisted == "missing" ? FileKind::kMissing : FileKind::kUnknown;
  for (const Json& row : List(json, "files")) ReadFile(row);
  std::vector<AbsolutePath> listed;
  for (const auto& [path, fact] : facts_.files) listed.push_back(path);
  for (const AbsolutePath& path : listed) AddFoldersAbove(path);
  for (const Json& row : List(json, "listings")) ReadListing(row);
  for (const Json& row : List(json, "first-lines")) {
    CheckMembers(row, "first-lines", {"path", "line"});
    if (const auto path = Path(row, "first-lines")) facts_.first_lines[*path] = Member(row, "line");
  }
  if (!error_.empty()) return Fail(ErrorKind::kPolicy, error_);
  return std::move(facts_);
}

Json JsonOf(const std::vector<std::string>& texts) {
  Json out = Json::array();
  for (const std::string& text : texts) out.push_back(JsonBytes(text));
  return out;
}

Json JsonOf(const std::vector<Account>& accounts) {
  Json out = Json::array();
  for (const Account& row : accounts) {
    out.push_back({{"name", JsonBytes(row.name)},
                   {"uid", row.uid},
                   {"gid", row.gid},
                   {"home", JsonBytes(row.home)},
                   {"shell", JsonBytes(row.shell)}});
  }
  return out;
}

Json JsonOf(const std::vector<Group>& groups) {
  Json out = Json::array();
  for (const Group& row : groups) {
    out.push_back(
        {{"name", JsonBytes(row.name)}, {"gid", row.gid}, {"has-caller", row.has_caller}});
  }
  return out;
}

Json JsonOf(const std::vector<MountFact>& mounts) {
  Json out = Json::array();
  for (const MountFact& row : mounts) {
    out.push_back({{"path", JsonBytes(row.at.text())},
                   {"root", JsonBytes(row.root.text())},
                   {"device", row.device},
                   {"type", JsonBytes(row.type)}});
  }
  return out;
}

Json JsonOf(const UserFacts& user) {
  return {{"uid", user.uid},
          {"gid", user.gid},
          {"name", JsonBytes(user.name)},
          {"home", JsonBytes(user.home)},
          {"shell", JsonBytes(user.shell)},
          {"real-name", JsonBytes(user.real_name)}};
}

}  // namespace

std::string FactsToJson(const HostFacts& facts) {
  Json engines = Json::array();
  for (const EngineFacts& engine : facts.engines) {
    Json row{{"name", engine.name}, {"path", JsonBytes(engine.path)}};
    if (!engine.unsafe_path.empty()) row["unsafe-path"] = JsonBytes(engine.unsafe_path);
    engines.push_back(std::move(row));
  }
  Json files = Json::array();
  const std::map sorted(facts.files.begin(), facts.files.end());
  for (const auto& [path, fact] : sorted) files.push_back(JsonOf(path, fact));
  Json listings = Json::array();
  const std::map folders(facts.listings.begin(), facts.listings.end());
  for (const auto& [path, listing] : folders) {
    Json row{{"path", JsonBytes(path.text())}, {"names", JsonOf(listing.names)}};
    if (!listing.problem.empty()) row["problem"] = listing.problem;
    listings.push_back(std::move(row));
  }
  Json first_lines = Json::array();
  const std::map lines(facts.first_lines.begin(), facts.first_lines.end());
  for (const auto& [path, line] : lines) {
    first_lines.push_back({{"path", JsonBytes(path.text())}, {"line", JsonBytes(line)}});
  }
  return DumpJson({{"kernel", facts.kernel},
                   {"architecture", facts.architecture},
                   {"landlock-abi", facts.landlock_abi},
                   {"userns-denied", facts.userns_denied},
                   {"engines", std::move(engines)},
                   {"user", JsonOf(facts.user)},
                   {"current-directory", JsonBytes(facts.current_directory)},
                   {"config-folder", JsonBytes(facts.config_folder)},
                   {"state-folder", JsonBytes(facts.state_folder)},
                   {"policy-file", JsonBytes(facts.policy_file)},
                   {"runtime-folder", JsonBytes(facts.runtime_folder)},
                   {"own-programs", JsonOf(facts.own_programs)},
                   {"search-path", JsonOf(facts.search_path)},
                   {"environment", JsonOf(facts.environment)},
                   {"accounts", JsonOf(facts.accounts)},
                   {"groups", JsonOf(facts.groups)},
                   {"mounts", JsonOf(facts.mounts)},
                   {"unlisted", std::string(WordOf(facts.unlisted))},
                   {"files", std::move(files)},
                   {"listings", std::move(listings)},
                   {"first-lines", std::move(first_lines)}});
}

Result<HostFacts> FactsFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail(ErrorKind::kPolicy, "the facts are not JSON");
  HostFacts facts;
  return Reader(facts).Read(json);
}

}  // namespace asb
