#include "policy/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "policy/toml.h"
#include "policy/value.h"

namespace asb {
namespace {

using std::string_view;

constexpr int kMostSyntaxErrors = 20;

/// What a person calls the type of a TOML value.
string_view TypeName(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "a list";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "a whole number";
    case toml::node_type::floating_point: return "a number";
    case toml::node_type::boolean: return "true or false";
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time: return "a date";
    case toml::node_type::none: break;
  }
  return "nothing";
}

/// How a value of a key's type is written.
std::string ShapeOf(const KeySpec& key) {
  switch (key.type) {
    case KeyType::kChoice: return fmt::format("one of {}", JoinWords(key.choices));
    case KeyType::kSwitch: return "true or false";
    case KeyType::kPath: return "a string, a path";
    case KeyType::kPathList: return "a list of strings, each a path";
    case KeyType::kBindList: return "a list of tables {source, target, mode}";
    case KeyType::kEnvList: return "a list of strings, each NAME or NAME=VALUE";
    case KeyType::kWordList: return "a list of strings";
    case KeyType::kGapList: return "a list of strings, each the name of a gap";
  }
  return {};
}

std::uint32_t WidthOf(const toml::source_region& region) {
  if (region.begin.line != region.end.line || region.end.column <= region.begin.column) return 1;
  return static_cast<std::uint32_t>(region.end.column - region.begin.column);
}

/// Reads one file. Holds what every step needs: the text, its name and the mistakes so far.
class Reader {
 public:
  Reader(string_view text, const std::string& place, ParsedPolicy& out)
      : text_(text), place_(place), out_(out) {}

  void Read();

 private:
  void Complain(const toml::source_region& at, ValueProblem problem) {
    out_.diagnostics.push_back({place_, at.begin.line, at.begin.column, WidthOf(at),
                                std::move(problem.message), std::move(problem.hint),
                                std::move(problem.fix),
                                std::string(LineOf(text_, at.begin.line))});
  }
  Origin OriginAt(const Layer& layer, const toml::source_region& at) const {
    return {layer.kind, shared_place_, at.begin.line, at.begin.column};
  }

  toml::table ParseSyntax();
  void ComplainAboutSyntax(const toml::parse_error& error, string_view text);
  void ReadLayer(const toml::table& table, Layer& layer);
  void ReadProfiles(const toml::key& key, const toml::node& node);
  void ReadSetting(const toml::key& key, const toml::node& node, Layer& layer);
  void ReadSpelling(const Spelling& spelling, const toml::key& key, const toml::node& node,
                    Layer& layer);
  void ReadScalar(const KeySpec& spec, const toml::node& node, Setting& setting);
  void ReadList(const KeySpec& spec, const toml::node& node, Setting& setting);
  std::optional<Item> ReadBind(const toml::node& node);
  void Store(Key which, const toml::key& key, Setting setting, Layer& layer);
  void AddChecked(const KeySpec& spec, Item item, const toml::source_region& at, Setting& setting);

  string_view text_;
  const std::string& place_;
  const PlaceName shared_place_{place_};
  ParsedPolicy& out_;
};

/// True when `line` is a whole `key = value`: without it the rest of the file still means the same,
/// so reading can go on behind the mistake.
bool IsWholeStatement(string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  if (start == string_view::npos || line[start] == '[' || line[start] == '#') return false;
  if (line.find('=') == string_view::npos) return false;
  if (line.find("\"\"\"") != string_view::npos || line.find("'''") != string_view::npos) return false;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      break;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return depth == 0;
}

/// toml++'s text without its preamble, in our words where people meet it most.
std::string SyntaxMessage(string_view description) {
  constexpr string_view kPreamble = "Error while parsing ";
  if (description.starts_with(kPreamble)) description.remove_prefix(kPreamble.size());
  const std::size_t again = description.find("cannot redefine existing ");
  if (again != string_view::npos) {
    const std::size_t name = description.find('\'', again);
    if (name != string_view::npos) {
      return fmt::format("key {} is given twice", description.substr(name));
    }
  }
  return fmt::format("not TOML: {}", description);
}

void Reader::ComplainAboutSyntax(const toml::parse_error& error, string_view text) {
  const toml::source_region at = error.source();
  // The text still holds the lines that were blanked: show the file as the person wrote it.
  out_.diagnostics.push_back({place_, at.begin.line, at.begin.column, 1,
                              SyntaxMessage(error.description()), "", "",
                              std::string(LineOf(text, at.begin.line))});
}

/// Parses, and where a line alone is wrong, reports it and goes on without it.
toml::table Reader::ParseSyntax() {
  std::string rest(text_);
  for (int round = 0; round < kMostSyntaxErrors; ++round) {
    toml::parse_result result = toml::parse(rest, place_);
    if (result.succeeded()) return std::move(result).table();
    ComplainAboutSyntax(result.error(), text_);
    const string_view line = LineOf(rest, result.error().source().begin.line);
    if (!IsWholeStatement(line)) break;
    const auto offset = static_cast<std::size_t>(line.data() - rest.data());
    std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(offset), line.size(), ' ');
  }
  return {};
}

void Reader::Read() {
  if (text_.size() > kLargestPolicy) {
    out_.diagnostics.push_back({place_, 0, 0, 1,
                                fmt::format("a policy has at most {} bytes, this one has {}",
                                            kLargestPolicy, text_.size()),
                                "", "name folders instead of the files in them", ""});
    return;
  }
  if (const std::size_t nul = text_.find('\0'); nul != string_view::npos) {
    const auto line = static_cast<std::uint32_t>(std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(nul), '\n') + 1);
    out_.diagnostics.push_back({place_, line, 0, 1, "holds a NUL byte: this is not a text file",
                                "", "", ""});
    return;
  }
  out_.file.top.kind = LayerKind::kUser;
  const toml::table table = ParseSyntax();
  ReadLayer(table, out_.file.top);
}

void Reader::ReadLayer(const toml::table& table, Layer& layer) {
  for (const auto& [key, node] : table) {
    if (key.str() == "profile" && layer.kind == LayerKind::kUser) {
      ReadProfiles(key, node);
    } else {
      ReadSetting(key, node, layer);
    }
  }
}

void Reader::ReadProfiles(const toml::key& key, const toml::node& node) {
  const toml::table* profiles = node.as_table();
  if (profiles == nullptr) {
    Complain(key.source(), {fmt::format("'profile' must be a table, not {}", TypeName(node)), "",
                            "start a profile with [profile.NAME]"});
    return;
  }
  for (const auto& [name, body] : *profiles) {
    const bool plain = !name.str().empty() &&
                       name.str().find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                                                    "VWXYZ0123456789._-") == string_view::npos;
    if (!plain) {
      Complain(name.source(), {fmt::format("a profile cannot be named '{}'", Printable(name.str())),
                               "", "use letters, digits, '.', '-' and '_'"});
      continue;
    }
    if (!body.is_table()) {
      Complain(name.source(),
               {fmt::format("profile '{}' must be a table, not {}", name.str(), TypeName(body)), "",
                fmt::format("start it with [profile.{}]", name.str())});
      continue;
    }
    Layer layer;
    layer.kind = LayerKind::kProfile;
    layer.name = name.str();
    ReadLayer(*body.as_table(), layer);
    out_.file.profiles.push_back(std::move(layer));
  }
}

void Reader::ReadSetting(const toml::key& key, const toml::node& node, Layer& layer) {
  if (const Spelling* spelling = FindSpelling(key.str())) {
    ReadSpelling(*spelling, key, node, layer);
    return;
  }
  const KeySpec* spec = FindKey(key.str());
  if (spec == nullptr) {
    const auto nearest = NearestWord(key.str(), SettingNames());
    std::string fix;
    if (!nearest) fix = "agent-sandbox --help lists the settings";
    Complain(key.source(), {fmt::format("unknown key '{}'", Printable(key.str())),
                            nearest ? fmt::format("did you mean '{}'?", *nearest) : "", fix});
    return;
  }
  Setting setting;
  setting.origin = OriginAt(layer, key.source());
  if (IsList(spec->type)) {
    ReadList(*spec, node, setting);
  } else {
    ReadScalar(*spec, node, setting);
    if (setting.items.empty()) return;
  }
  Store(spec->key, key, std::move(setting), layer);
}

void Reader::ReadSpelling(const Spelling& spelling, const toml::key& key, const toml::node& node,
                          Layer& layer) {
  const toml::value<bool>* on = node.as_boolean();
  if (on == nullptr) {
    Complain(node.source(), {fmt::format("'{}' must be true or false, not {}", spelling.name,
                                         TypeName(node)),
                             "", ""});
    return;
  }
  const auto value = SpelledValue(spelling, on->get());
  const KeySpec& spec = SpecOf(spelling.key);
  if (!value) {
    Complain(node.source(),
             {fmt::format("'{0} = false' does not say which {1} is meant", spelling.name, spec.name),
              "", fmt::format("write {} = …, one of {}", spec.name, JoinWords(spec.choices))});
    return;
  }
  Setting setting;
  setting.origin = OriginAt(layer, key.source());
  setting.items.push_back({std::string(*value), "", "", setting.origin});
  Store(spelling.key, key, std::move(setting), layer);
}

void Reader::ReadScalar(const KeySpec& spec, const toml::node& node, Setting& setting) {
  Item item;
  item.origin = setting.origin;
  if (const auto* text = node.as_string(); text != nullptr && spec.type != KeyType::kSwitch) {
    item.text = text->get();
  } else if (const auto* on = node.as_boolean(); on != nullptr && spec.type == KeyType::kSwitch) {
    item.text = on->get() ? "true" : "false";
  } else {
    Complain(node.source(),
             {fmt::format("'{}' must be {}, not {}", spec.name, ShapeOf(spec), TypeName(node)), "",
              ""});
    return;
  }
  AddChecked(spec, std::move(item), node.source(), setting);
}

void Reader::ReadList(const KeySpec& spec, const toml::node& node, Setting& setting) {
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    std::string fix;
    if (node.is_string()) fix = fmt::format("put it in brackets: {} = [\"…\"]", spec.name);
    Complain(node.source(), {fmt::format("'{}' must be {}, not {}", spec.name, ShapeOf(spec),
                                         TypeName(node)),
                             "", std::move(fix)});
    return;
  }
  for (const toml::node& element : *list) {
    Item item;
    if (spec.type == KeyType::kBindList) {
      auto bind = ReadBind(element);
      if (!bind) continue;
      item = std::move(*bind);
    } else if (const auto* text = element.as_string()) {
      item.text = text->get();
    } else {
      Complain(element.source(), {fmt::format("'{}' must be {}; this is {}", spec.name,
                                              ShapeOf(spec), TypeName(element)),
                                  "", ""});
      continue;
    }
    item.origin = setting.origin;
    item.origin.line = element.source().begin.line;
    item.origin.column = element.source().begin.column;
    AddChecked(spec, std::move(item), element.source(), setting);
  }
  const bool no_program = spec.key == Key::kCommand && !list->empty() && !setting.items.empty() &&
                          setting.items.front().text.empty();
  if (no_program) {
    Complain(list->front().source(), {"'command' starts with an empty word: no program", "", ""});
  }
}

std::optional<Item> Reader::ReadBind(const toml::node& node) {
  constexpr std::array<string_view, 3> kFields{"source", "target", "mode"};
  const toml::table* table = node.as_table();
  if (table == nullptr) {
    Complain(node.source(), {fmt::format("'bind' holds tables; this is {}", TypeName(node)), "",
                             "write {source = \"/data\", target = \"/mnt\", mode = \"ro\"}"});
    return std::nullopt;
  }
  Item item;
  item.mode = "ro";
  bool good = true;
  for (const auto& [key, value] : *table) {
    const auto* text = value.as_string();
    if (std::find(kFields.begin(), kFields.end(), key.str()) == kFields.end()) {
      const auto nearest = NearestWord(key.str(), kFields);
      Complain(key.source(), {fmt::format("unknown key '{}' in 'bind'", Printable(key.str())),
                              nearest ? fmt::format("did you mean '{}'?", *nearest) : "",
                              nearest ? "" : "use source, target and mode"});
      good = false;
    } else if (text == nullptr) {
      Complain(value.source(), {fmt::format("'{}' of 'bind' must be a string, not {}", key.str(),
                                            TypeName(value)),
                                "", ""});
      good = false;
    } else if (key.str() == "source") {
      item.text = text->get();
    } else if (key.str() == "target") {
      item.target = text->get();
    } else {
      item.mode = text->get();
    }
  }
  for (const string_view field : {kFields[0], kFields[1]}) {
    if (table->contains(field)) continue;
    Complain(node.source(), {fmt::format("'bind' lacks its '{}'", field), "",
                             "write {source = \"/data\", target = \"/mnt\", mode = \"ro\"}"});
    good = false;
  }
  return good ? std::optional(std::move(item)) : std::nullopt;
}

void Reader::AddChecked(const KeySpec& spec, Item item, const toml::source_region& at,
                        Setting& setting) {
  if (auto problem = CheckItem(spec, item, ValueSource::kFile)) {
    Complain(at, std::move(*problem));
    return;
  }
  setting.items.push_back(std::move(item));
}

void Reader::Store(Key which, const toml::key& key, Setting setting, Layer& layer) {
  std::optional<Setting>& slot = layer.At(which);
  if (slot) {
    // toml++ sorts keys; the one further down in the file is the one to complain about.
    const bool later = key.source().begin.line >= slot->origin.line;
    const Origin& kept = later ? slot->origin : setting.origin;
    const Origin& extra = later ? setting.origin : slot->origin;
    const string_view name = SpecOf(which).name;
    out_.diagnostics.push_back(
        {place_, extra.line, extra.column, 1,
         fmt::format("'{}' is set twice: line {} sets it too, in another spelling", name, kept.line),
         "", "keep one of them", std::string(LineOf(text_, extra.line))});
    return;
  }
  slot = std::move(setting);
}

}  // namespace

ParsedPolicy ParsePolicy(std::string_view text, const std::string& place) {
  ParsedPolicy out;
  Reader(text, place, out).Read();
  std::stable_sort(out.file.profiles.begin(), out.file.profiles.end(),
                   [](const Layer& a, const Layer& b) { return a.name < b.name; });
  return out;
}

}  // namespace asb
