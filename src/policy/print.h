// Layers → policy text. ParsePolicy(PrintPolicy(x)) gives x back, origins aside.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "policy/layer.h"
#include "policy/parse.h"

namespace asb {

/// `text`, which must be UTF-8, as a basic string of TOML, quotes included.
std::string TomlString(std::string_view text);

/// The settings of one layer as TOML lines, in the order of the key table. Values must be UTF-8.
std::string PrintLayer(const Layer& layer);

/// A whole file: the top layer, then each profile under its header.
std::string PrintPolicy(const PolicyFile& file);

}  // namespace asb
