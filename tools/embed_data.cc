// Build-time generator: data/*.toml → the tables of policy/builtin_data.h.
//
//   embed_data OUT.cc data/environment.toml data/secrets.toml data/view.toml
//
// Each row becomes one C++ row with its file and line. A row of the wrong shape stops the build.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

/// A list in a data file and the C++ function that returns it.
struct Table {
  std::string_view file;
  std::string_view list;
  std::string_view function;
  std::string_view row_type;
};

constexpr std::array<Table, 6> kTables{{
    {"view.toml", "whitelist", "WhitelistPaths", "BuiltinPath"},
    {"view.toml", "blacklist", "BlacklistPaths", "BuiltinPath"},
    {"secrets.toml", "secrets", "SecretPaths", "BuiltinPath"},
    {"sensitive.toml", "sensitive", "SensitivePaths", "BuiltinPath"},
    {"environment.toml", "pass", "PassedVariables", "BuiltinVariable"},
    {"environment.toml", "guarded", "GuardedVariables", "BuiltinVariable"},
}};

/// What a row says first, and the enumerator that it becomes ("" for variables).
struct Field {
  std::string_view key;
  std::string_view row_type;
  std::string_view access;
};

constexpr std::array<Field, 9> kFields{{
    {"ro", "BuiltinPath", "kRead"},
    {"hide", "BuiltinPath", "kHide"},
    {"private", "BuiltinPath", "kPrivate"},
    {"link", "BuiltinPath", "kLink"},
    {"proc", "BuiltinPath", "kProc"},
    {"devices", "BuiltinPath", "kDevices"},
    {"made", "BuiltinPath", "kMade"},
    {"path", "BuiltinPath", "kRead"},
    {"name", "BuiltinVariable", ""},
}};

/// The row as C++, or nothing when its shape is wrong.
std::optional<std::string> RowText(const Table& table, const toml::table& row) {
  const std::optional<std::string_view> why = row["why"].value<std::string_view>();
  if (!why || row.size() != 2) return std::nullopt;
  for (const Field& field : kFields) {
    const std::optional<std::string_view> value = row[field.key].value<std::string_view>();
    if (!value || field.row_type != table.row_type) continue;
    std::string access;
    if (!field.access.empty()) access = fmt::format("BuiltinAccess::{}, ", field.access);
    return fmt::format("    {{{}R\"({})\", R\"({})\", \"data/{}\", {}}},\n", access, *value, *why,
                       table.file, row.source().begin.line);
  }
  return std::nullopt;
}

std::optional<std::string> TableText(const Table& table, const toml::table& file) {
  const toml::array* rows = file[table.list].as_array();
  if (rows == nullptr) {
    fmt::print(stderr, "embed_data: data/{} has no list '{}'\n", table.file, table.list);
    return std::nullopt;
  }
  std::string out = fmt::format("constexpr {} k{}[] = {{\n", table.row_type, table.function);
  for (const toml::node& node : *rows) {
    const toml::table* row = node.as_table();
    const std::optional<std::string> text = row ? RowText(table, *row) : std::nullopt;
    if (!text) {
      fmt::print(stderr, "embed_data: data/{}:{}: not a row of '{}'\n", table.file,
                 node.source().begin.line, table.list);
      return std::nullopt;
    }
    out += *text;
  }
  return out + "};\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: embed_data OUT.cc DATA.toml…\n");
    return 2;
  }
  std::map<std::string, toml::table> files;
  for (int i = 2; i < argc; ++i) {
    toml::parse_result parsed = toml::parse_file(argv[i]);
    if (parsed.failed()) {
      fmt::print(stderr, "embed_data: {}:{}: {}\n", argv[i], parsed.error().source().begin.line,
                 parsed.error().description());
      return 1;
    }
    files[std::filesystem::path(argv[i]).filename().string()] = std::move(parsed).table();
  }
  std::string tables;
  std::string functions;
  for (const Table& table : kTables) {
    const std::optional<std::string> text = TableText(table, files[std::string(table.file)]);
    if (!text) return 1;
    tables += *text;
    functions += fmt::format("std::span<const {}> {}() {{ return k{}; }}\n", table.row_type,
                             table.function, table.function);
  }
  std::ofstream out(argv[1]);
  out << "// Made by tools/embed_data from data/*.toml. Edit those.\n"
      << "#include \"policy/builtin_data.h\"\n\nnamespace asb {\nnamespace {\n"
      << tables << "}  // namespace\n"
      << functions << "}  // namespace asb\n";
  out.close();
  return out.good() ? 0 : 1;
}
