// HostFacts ↔ JSON. docs/reference/facts.md describes the format.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/facts.h"

namespace asb {

/// Sorted, indented, ends in a newline: the same facts give the same bytes.
std::string FactsToJson(const HostFacts& facts);

/// Reads a described host. Unknown members are refused; folders above a listed path need not be
/// listed.
Result<HostFacts> FactsFromJson(std::string_view text);

}  // namespace asb
