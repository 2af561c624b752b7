// Homes that are kept between runs, as far as no file has to be touched for it: where they lie,
// what is written about each, which of them have to go, and how they are listed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "plan/facts.h"
#include "plan/plan.h"
#include "plan/resolve.h"

namespace asb {

/// STATE/homes/KEY/{home/,about,lock}
inline constexpr std::string_view kHomesFolder = "homes";
inline constexpr std::string_view kHomeFolder = "home";

/// Where the product's state lies. Links are followed up to the folder that holds it; that one must
/// not be a link itself.
Result<AbsolutePath> FindState(const HostFacts& facts, FileSource& source);

/// Finishes a plan that has a kept home: its key, and the source of its step.
void KeepHome(const Policy& policy, const HostFacts& facts, FileSource& source, Plan& plan,
              Diagnostics& diagnostics);

/// What is written about one home, beside it. Times are seconds since 1970.
struct KeptAbout {
  std::string workspace;
  std::string reach;
  std::int64_t created = 0;
  std::int64_t used = 0;
  std::uint64_t bytes = 0;  ///< when the last run ended
  bool measured = false;    ///< false: there is more, or nobody has looked
};

inline constexpr std::size_t kLargestAbout = std::size_t{1} << 20U;

std::string AboutToJson(const KeptAbout& about);
/// Nothing when the bytes are none; unknown members are ignored.
std::optional<KeptAbout> AboutFromJson(std::string_view text);

/// One home of the list.
struct KeptRow {
  std::string key;
  KeptAbout about;
  bool in_use = false;
  bool leftover = false;  ///< of a removal that did not come to its end, or set aside
};

struct KeptLimits {
  std::int64_t older_than = std::int64_t{30} * 24 * 3600;  ///< seconds without use
  std::uint64_t bytes = std::uint64_t{8} << 30U;           ///< of all homes together
  bool all = false;                                        ///< whatever their age and size
};

/// Leftovers, what nobody has used for too long, and then the least recently used until the rest
/// fits. Never one that is in use.
std::vector<std::string> ChooseRemovals(const std::vector<KeptRow>& rows, const KeptLimits& limits,
                                        std::int64_t now);

/// "12.3 MiB"
std::string SizeText(std::uint64_t bytes);

/// A number and a unit, "500M" or "8 GiB"; nothing when it is none, or larger than a disk.
std::optional<std::uint64_t> ParseSize(std::string_view text);

enum class KeptVerb { kList, kRemoved, kWouldRemove };

std::string KeptToText(const std::vector<KeptRow>& rows, KeptVerb verb, const KeptLimits& limits,
                       std::int64_t now);
std::string KeptToJson(const std::vector<KeptRow>& rows, KeptVerb verb);

}  // namespace asb
