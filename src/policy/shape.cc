#include "policy/shape.h"

#include <fmt/format.h>

#include "base/text.h"

namespace asb {
namespace {

using std::string_view;

/// How a value of a key's type is written.
std::string ShapeOf(const KeySpec& key) {
  switch (key.type) {
    case KeyType::kChoice:
      return fmt::format("one of {}", JoinWords(key.choices));
    case KeyType::kSwitch:
      return "true or false";
    case KeyType::kPath:
      return "a path in quotes";
    case KeyType::kPathList:
      return "a list of strings, each a path";
    case KeyType::kBindList:
      return "a list of tables {source, target, mode}";
    case KeyType::kEnvList:
      return "a list of strings, each NAME or NAME=VALUE";
    case KeyType::kWordList:
      return "a list of strings";
    case KeyType::kGapList:
      return "a list of strings, each the name of a gap";
  }
  return {};
}

/// For a switch whose value is right but for its quotes.
std::string UnquoteFix(const toml::node& node) {
  const auto* text = node.as_string();
  const bool quoted = text != nullptr && (text->get() == "true" || text->get() == "false");
  return quoted ? "write it without quotes" : "";
}

std::string FixFor(const KeySpec& key, const toml::node& node) {
  if (key.type == KeyType::kSwitch) return UnquoteFix(node);
  if (key.type == KeyType::kBindList) return fmt::format("write {} = [{}]", key.name, kBindExample);
  if (key.type == KeyType::kEnvList && node.is_table()) {
    return fmt::format("write {} = [\"NAME=VALUE\"]", key.name);
  }
  if (!IsList(key.type) || !node.is_string()) return {};
  if (key.type == KeyType::kWordList) {
    return fmt::format("write each word by itself: {} = [\"…\", \"…\"]", key.name);
  }
  return fmt::format("put it in brackets: {} = [\"…\"]", key.name);
}

}  // namespace

string_view TypeName(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number";
    case toml::node_type::boolean:
      return node.as_boolean()->get() ? "true" : "false";
    case toml::node_type::time:
      return "a time";
    case toml::node_type::date:
    case toml::node_type::date_time:
      return "a date";
    case toml::node_type::none:
      break;
  }
  return "nothing";
}

ValueProblem WrongType(const KeySpec& key, const toml::node& node) {
  return {fmt::format("'{}' must be {}, not {}", key.name, ShapeOf(key), TypeName(node)), "",
          FixFor(key, node)};
}

ValueProblem WrongType(const Spelling& spelling, const toml::node& node) {
  return {fmt::format("'{}' must be true or false, not {}", spelling.name, TypeName(node)), "",
          UnquoteFix(node)};
}

ValueProblem WrongElement(const KeySpec& key, const toml::node& element) {
  if (key.type == KeyType::kBindList) {
    return {fmt::format("'{}' holds tables; this is {}", key.name, TypeName(element)), "",
            fmt::format("write {}", kBindExample)};
  }
  const bool word = key.type == KeyType::kWordList && element.is_value();
  return {fmt::format("'{}' must be {}; this is {}", key.name, ShapeOf(key), TypeName(element)), "",
          word ? "put it in quotes" : ""};
}

}  // namespace asb
