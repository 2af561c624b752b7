// Values of the wrong TOML type: what stands there, what should, and what to write instead.
#pragma once

#include <string_view>

#include "policy/keys.h"
#include "policy/toml.h"
#include "policy/value.h"

namespace asb {

inline constexpr std::string_view kBindExample =
    R"({source = "/data", target = "/mnt", mode = "ro"})";

/// What a person calls `node`: "a list", "a whole number", and a switch by its value: "true".
std::string_view TypeName(const toml::node& node);

/// `node` is no value of `key`.
ValueProblem WrongType(const KeySpec& key, const toml::node& node);

/// `node` is neither true nor false.
ValueProblem WrongType(const Spelling& spelling, const toml::node& node);

/// `element` cannot stand in the list that is the value of `key`.
ValueProblem WrongElement(const KeySpec& key, const toml::node& element);

}  // namespace asb
