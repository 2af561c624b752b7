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
  void ReadUser(const Json& json);
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
  CheckMembers(json, "user", {"uid", "gid", "name", "home", "shell"});
  if (!json.is_object()) return;
  facts_.user = {Number(json, "uid"), Number(json, "gid"), Member(json, "name"),
                 Member(json, "home"), Member(json, "shell")};
}

void Reader::AddFoldersAbove(const AbsolutePath& path) {
  for (AbsolutePath at = path.Parent(); !at.IsRoot(); at = at.Parent()) {
    if (!facts_.files.try_emplace(at, FileFact{FileKind::kFolder, ""}).second) return;
  }
}

void Reader::ReadFile(const Json& row) {
  CheckMembers(row, "files", {"path", "kind", "link"});
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
  }
  facts_.files[*path] = std::move(fact);
}

void Reader::ReadListing(const Json& row) {
  CheckMembers(row, "listings", {"path", "names", "problem"});
  const auto path = Path(row, "listings");
  if (!path) return;
  Listing& listing = facts_.listings[*path];
  for (const Json& name : List(row, "names")) listing.names.push_back(Text(name, "names"));
  std::sort(listing.names.begin(), listing.names.end());
  listing.problem = Member(row, "problem");
}

Result<HostFacts> Reader::Read(const Json& json) {
  CheckMembers(json, "the facts",
               {"kernel", "architecture", "landlock-abi", "userns-denied", "engines", "user",
                "current-directory", "config-folder", "state-folder", "policy-file", "environment",
                "unlisted", "files", "listings"});
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
  for (const Json& name : List(json, "environment")) {
    facts_.environment.push_back(Text(name, "environment"));
  }
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
  if (!error_.empty()) return Fail(ErrorKind::kPolicy, error_);
  return std::move(facts_);
}

}  // namespace

std::string FactsToJson(const HostFacts& facts) {
  Json engines = Json::array();
  for (const EngineFacts& engine : facts.engines) {
    Json row{{"name", engine.name}, {"path", JsonBytes(engine.path)}};
    if (!engine.unsafe_path.empty()) row["unsafe-path"] = JsonBytes(engine.unsafe_path);
    engines.push_back(std::move(row));
  }
  Json environment = Json::array();
  for (const std::string& name : facts.environment) environment.push_back(JsonBytes(name));
  Json files = Json::array();
  const std::map sorted(facts.files.begin(), facts.files.end());
  for (const auto& [path, fact] : sorted) files.push_back(JsonOf(path, fact));
  Json listings = Json::array();
  const std::map folders(facts.listings.begin(), facts.listings.end());
  for (const auto& [path, listing] : folders) {
    Json row{{"path", JsonBytes(path.text())}, {"names", Json::array()}};
    for (const std::string& name : listing.names) row["names"].push_back(JsonBytes(name));
    if (!listing.problem.empty()) row["problem"] = listing.problem;
    listings.push_back(std::move(row));
  }
  return DumpJson({{"kernel", facts.kernel},
                   {"architecture", facts.architecture},
                   {"landlock-abi", facts.landlock_abi},
                   {"userns-denied", facts.userns_denied},
                   {"engines", std::move(engines)},
                   {"user",
                    {{"uid", facts.user.uid},
                     {"gid", facts.user.gid},
                     {"name", JsonBytes(facts.user.name)},
                     {"home", JsonBytes(facts.user.home)},
                     {"shell", JsonBytes(facts.user.shell)}}},
                   {"current-directory", JsonBytes(facts.current_directory)},
                   {"config-folder", JsonBytes(facts.config_folder)},
                   {"state-folder", JsonBytes(facts.state_folder)},
                   {"policy-file", JsonBytes(facts.policy_file)},
                   {"environment", std::move(environment)},
                   {"unlisted", std::string(WordOf(facts.unlisted))},
                   {"files", std::move(files)},
                   {"listings", std::move(listings)}});
}

Result<HostFacts> FactsFromJson(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return Fail(ErrorKind::kPolicy, "the facts are not JSON");
  HostFacts facts;
  return Reader(facts).Read(json);
}

}  // namespace asb
