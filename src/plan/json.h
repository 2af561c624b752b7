// JSON for bytes that need not be text: a string when the bytes are UTF-8, otherwise
// {"hex": "2f746d70ff"}. Used by facts and plans alike. nlohmann's header stays in plan/'s few
// JSON files; nobody else includes this one.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "policy/origin.h"

namespace asb {

using Json = nlohmann::ordered_json;

Json JsonBytes(std::string_view bytes);

/// Nothing when `json` is neither of the two forms.
std::optional<std::string> BytesOfJson(const Json& json);

/// {"layer": "user", "place": "config.toml", "line": 3, "column": 1}; line and column when known.
Json JsonOrigin(const Origin& origin);

/// Indented, with a final newline, in printable ASCII: whatever a name holds, no terminal obeys it.
std::string DumpJson(const Json& json);

}  // namespace asb
