#include "plan/kept.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "plan/json.h"
#include "plan/reach.h"
#include "plan/wording.h"

namespace asb {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 50U;
constexpr std::int64_t kDay = std::int64_t{24} * 3600;

std::optional<std::int64_t> NumberIn(const Json& json, const char* name) {
  if (!json.contains(name) || !json[name].is_number_integer()) return std::nullopt;
  return json[name].get<std::int64_t>();
}

/// A clock that was set back must not make anything old.
std::int64_t Age(const KeptRow& row, std::int64_t now) {
  return std::max<std::int64_t>(0, now - row.about.used);
}

std::string AgeText(std::int64_t seconds) {
  if (seconds < 2 * 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 2 * kDay) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} days", seconds / kDay);
}

std::string RowText(const KeptRow& row, std::int64_t now) {
  const std::string size =
      fmt::format("{}{}", row.about.measured ? "" : "≥ ", SizeText(row.about.bytes));
  std::string project =
      row.about.workspace.empty() ? "a project that is not known" : Printable(row.about.workspace);
  if (row.leftover) project = "left over";
  return fmt::format("{:<32}  {:>10}  {:>8}  {}{}\n", Printable(row.key), size,
                     AgeText(Age(row, now)), project, row.in_use ? " (in use)" : "");
}

std::string_view VerbText(KeptVerb verb) {
  switch (verb) {
    case KeptVerb::kList:
      return "kept";
    case KeptVerb::kRemoved:
      return "removed";
    case KeptVerb::kWouldRemove:
      return "would be removed";
  }
  return "kept";
}

}  // namespace

Result<AbsolutePath> FindState(const HostFacts& facts, FileSource& source) {
  const Result<AbsolutePath> path = AbsolutePath::Parse(facts.state_folder);
  if (!path) return tl::make_unexpected(path.error());
  const Result<Resolved> folder = Resolver(source).Resolve(path->Parent());
  if (!folder) return tl::make_unexpected(folder.error());
  return folder->real.Child(path->Name());
}

void KeepHome(const Policy& policy, const HostFacts& facts, FileSource& source, Plan& plan,
              Diagnostics& diagnostics) {
  const auto step = std::find_if(plan.mounts.begin(), plan.mounts.end(),
                                 [](const MountStep& s) { return s.kind == MountKind::kKept; });
  if (step == plan.mounts.end()) return;
  const Result<AbsolutePath> state = FindState(facts, source);
  if (!state) return;  // the own floor has complained already
  if (state->IsWithin(plan.workspace)) {
    diagnostics.push_back(AtOrigin(
        plan.home.origin,
        fmt::format("no home can be kept in '{}': it lies in the workspace, where an earlier run "
                    "could have prepared one",
                    ShortPath(*state, plan.user_home)),
        "set XDG_STATE_HOME to a folder outside the workspace, or unset it"));
    return;
  }
  KeptHome kept;
  kept.reach = ReachOf(policy, plan);
  kept.key = KeyOfReach(kept.reach);
  kept.state = *state;
  kept.folder = state->Child(kHomesFolder).Child(kept.key).Child(kHomeFolder);
  step->source = kept.folder;
  plan.kept = std::move(kept);
}

std::string AboutToJson(const KeptAbout& about) {
  return DumpJson({{"version", 1},
                   {"workspace", JsonBytes(about.workspace)},
                   {"created", about.created},
                   {"used", about.used},
                   {"bytes", about.bytes},
                   {"measured", about.measured},
                   {"reach", about.reach}});
}

std::optional<KeptAbout> AboutFromJson(std::string_view text) {
  constexpr bool kThrow = false;
  // No callback for depth: the size is bounded, and nlohmann's parser needs no stack for depth.
  const Json json = Json::parse(text, nullptr, kThrow);
  if (!json.is_object() || !json.contains("workspace") || !json.contains("reach")) {
    return std::nullopt;
  }
  const auto workspace = BytesOfJson(json["workspace"]);
  const auto created = NumberIn(json, "created");
  const auto used = NumberIn(json, "used");
  const auto bytes = NumberIn(json, "bytes");
  const bool typed =
      json["reach"].is_string() && json.contains("measured") && json["measured"].is_boolean();
  if (!workspace || !created || !used || !bytes || *bytes < 0 || *bytes > kMostBytes || !typed)
    return std::nullopt;
  return KeptAbout{*workspace, json["reach"].get<std::string>(),   *created,
                   *used,      static_cast<std::uint64_t>(*bytes), json["measured"].get<bool>()};
}

std::vector<std::string> ChooseRemovals(const std::vector<KeptRow>& rows, const KeptLimits& limits,
                                        std::int64_t now) {
  std::vector<std::string> chosen;
  std::vector<const KeptRow*> others;
  std::uint64_t bytes = 0;
  for (const KeptRow& row : rows) {
    const bool old = limits.all || row.leftover || Age(row, now) > limits.older_than;
    if (old && !row.in_use) {
      chosen.push_back(row.key);
      continue;
    }
    bytes += row.about.bytes;
    if (!row.in_use) others.push_back(&row);
  }
  std::stable_sort(others.begin(), others.end(), [](const KeptRow* a, const KeptRow* b) {
    return a->about.used < b->about.used;
  });
  for (const KeptRow* row : others) {
    if (bytes <= limits.bytes) break;
    bytes -= row->about.bytes;
    chosen.push_back(row->key);
  }
  return chosen;
}

std::string SizeText(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto shown = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (shown >= 1024 && unit + 1 < kUnits.size()) {
    shown /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", shown, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::optional<std::uint64_t> ParseSize(std::string_view text) {
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc()) return std::nullopt;
  std::string unit = LowerCase(text.substr(static_cast<std::size_t>(read.ptr - text.data())));
  std::erase(unit, ' ');
  if (unit.ends_with("ib")) unit.resize(unit.size() - 2);
  constexpr std::string_view kUnits = "kmgt";
  unsigned shift = 0;
  if (unit.size() == 1 && kUnits.find(unit[0]) != std::string_view::npos) {
    shift = 10 * (static_cast<unsigned>(kUnits.find(unit[0])) + 1);
  } else if (!unit.empty()) {
    return std::nullopt;
  }
  constexpr unsigned kMostBits = 60;
  if (number >> (kMostBits - shift) != 0) return std::nullopt;
  return number << shift;
}

std::string KeptToText(const std::vector<KeptRow>& rows, KeptVerb verb, const KeptLimits& limits,
                       std::int64_t now) {
  std::string out;
  std::uint64_t bytes = 0;
  for (const KeptRow& row : rows) {
    out += RowText(row, now);
    bytes += row.about.bytes;
  }
  out += fmt::format("{} {}, {}", Count(rows.size(), "home"), VerbText(verb), SizeText(bytes));
  if (verb == KeptVerb::kList) {
    out += fmt::format("; at most {} together, {} days without use", SizeText(limits.bytes),
                       limits.older_than / kDay);
  }
  return out + "\n";
}

std::string KeptToJson(const std::vector<KeptRow>& rows, KeptVerb verb) {
  Json homes = Json::array();
  for (const KeptRow& row : rows) {
    homes.push_back({{"key", JsonBytes(row.key)},
                     {"workspace", JsonBytes(row.about.workspace)},
                     {"created", row.about.created},
                     {"used", row.about.used},
                     {"bytes", row.about.bytes},
                     {"measured", row.about.measured},
                     {"in-use", row.in_use},
                     {"leftover", row.leftover},
                     {"reach", row.about.reach}});
  }
  return DumpJson(
      {{"version", 1}, {"homes", std::move(homes)}, {"done", std::string(VerbText(verb))}});
}

}  // namespace asb
