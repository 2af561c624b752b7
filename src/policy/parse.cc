#include "policy/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/lines.h"
#include "base/text.h"
#include "policy/shape.h"
#include "policy/syntax_message.h"
#include "policy/toml.h"
#include "policy/value.h"

namespace asb {
namespace {

using std::string_view;

constexpr int kMostSyntaxErrors = 20;
constexpr int kMostKeyParts = 64;

/// toml++ nests a table for each part of a dotted key, and a hundred thousand of them end in its
/// own recursion. Where such a key is; npos: there is none.
std::size_t DeepKey(string_view text) {
  int parts = 0;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++at;
      if (c == quote || c == '\n') quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '.') {
      if (++parts > kMostKeyParts) return at;
    } else if (c == '=' || c == ',' || c == '{' || c == '[' || c == '\n') {
      parts = 0;
    }
  }
  return string_view::npos;
}
constexpr string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr string_view kProfile = "profile";
constexpr std::array<string_view, 3> kBindFields{"source", "target", "mode"};  // as in ItemPart

std::uint32_t WidthOf(const toml::source_region& region) {
  if (region.begin.line != region.end.line || region.end.column <= region.begin.column) return 1;
  return static_cast<std::uint32_t>(region.end.column - region.begin.column);
}

/// toml++ sorts by name; people read from top to bottom.
std::vector<std::pair<const toml::key*, const toml::node*>> InFileOrder(const toml::table& table) {
  std::vector<std::pair<const toml::key*, const toml::node*>> out;
  for (const auto& [key, node] : table) out.emplace_back(&key, &node);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.first->source().begin < b.first->source().begin;
  });
  return out;
}

/// Where the wrong part of an item is written: a field of a bind, or the whole value.
const toml::source_region& RegionOf(const toml::node& node, ItemPart part) {
  const toml::table* table = node.as_table();
  const toml::node* field =
      table == nullptr ? nullptr : table->get(kBindFields[static_cast<std::size_t>(part)]);
  return (field == nullptr ? node : *field).source();
}

/// Reads one file. Holds what every step needs: the text, its name and the mistakes so far.
class Reader {
 public:
  Reader(string_view text, const std::string& place, ParsedPolicy& out)
      : text_(text), lines_(text), place_(place), out_(out) {}

  void Read();

 private:
  void Add(std::uint32_t line, std::uint32_t column, std::uint32_t width, ValueProblem problem) {
    string_view shown = lines_.At(line);
    if (shown.size() > kWidestSourceLine) shown = {};
    out_.diagnostics.push_back({place_, line, column, width, std::move(problem.message),
                                std::move(problem.hint), std::move(problem.fix),
                                std::string(shown)});
  }
  void Complain(const toml::source_region& at, ValueProblem problem) {
    Add(at.begin.line, at.begin.column, WidthOf(at), std::move(problem));
  }
  Origin OriginAt(const Layer& layer, const toml::source_region& at) const {
    return {layer.kind, shared_place_, at.begin.line, at.begin.column};
  }

  bool IsText();
  toml::table ParseSyntax();
  void ReadLayer(const toml::table& table, Layer& layer);
  void ReadProfiles(const toml::key& key, const toml::node& node);
  void ReadProfile(const toml::key& name, const toml::node& body);
  void ReadSetting(const toml::key& key, const toml::node& node, Layer& layer);
  void ReadSpelling(const Spelling& spelling, const toml::key& key, const toml::node& node,
                    Layer& layer);
  void ReadScalar(const KeySpec& spec, const toml::node& node, Setting& setting);
  void ReadList(const KeySpec& spec, const toml::node& node, Setting& setting);
  std::optional<Item> ReadBind(const toml::table& table);
  bool ReadBindField(const toml::key& key, const toml::node& value, Item& item);
  void ComplainAboutKey(const toml::key& key, const Layer& layer);
  void AddChecked(const KeySpec& spec, Item item, const toml::node& node, Setting& setting);
  void Store(Key which, const toml::key& key, Setting setting, Layer& layer);

  string_view text_;
  const Lines lines_;
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
  if (line.find("\"\"\"") != string_view::npos || line.find("'''") != string_view::npos)
    return false;
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

/// Parses, and where a line alone is wrong, reports it and goes on without it.
toml::table Reader::ParseSyntax() {
  std::string rest(text_);
  // Every mistake of the last line is then one of a whole line, not of the end of the file.
  if (!rest.ends_with('\n') && !rest.ends_with('\r')) rest += '\n';
  for (int round = 0; round < kMostSyntaxErrors; ++round) {
    toml::parse_result result = toml::parse(rest, place_);
    if (result.succeeded()) return std::move(result).table();
    const toml::source_position at = result.error().source().begin;
    SyntaxMessage found =
        DescribeSyntaxError({result.error().description(), at.line, at.column}, lines_);
    Add(found.line, found.column, found.width,
        {std::move(found.message), "", std::move(found.fix)});
    const string_view line = lines_.At(found.line);
    if (!found.line_stands_alone || !IsWholeStatement(line)) break;
    const auto offset = static_cast<std::size_t>(line.data() - text_.data());
    // A line within a list or a string that began above it is no statement.
    if (toml::parse(string_view(rest).substr(0, offset)).failed()) break;
    std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(offset), line.size(), ' ');
  }
  return {};
}

bool Reader::IsText() {
  if (const std::size_t nul = text_.find('\0'); nul != string_view::npos) {
    Add(lines_.NumberOf(nul), 0, 1, {"holds a NUL byte: this is not a text file", "", ""});
    return false;
  }
  if (const std::size_t deep = DeepKey(text_); deep != string_view::npos) {
    Add(lines_.NumberOf(deep), 0, 1,
        {fmt::format("a key of more than {} parts", kMostKeyParts), "",
         "no key needs more than profile.NAME.KEY"});
    return false;
  }
  const std::size_t wrong = Utf8Prefix(text_);
  if (wrong == text_.size()) return true;
  const std::uint32_t number = lines_.NumberOf(wrong);
  const string_view line = lines_.At(number);
  const auto offset = wrong - static_cast<std::size_t>(line.data() - text_.data());
  Add(number, static_cast<std::uint32_t>(CharacterCount(line.substr(0, offset)) + 1), 1,
      {"not TOML: this byte is not UTF-8", "", "save the file as UTF-8"});
  return false;
}

void Reader::Read() {
  if (!IsText()) return;
  out_.file.top.kind = LayerKind::kUser;
  const toml::table table = ParseSyntax();
  ReadLayer(table, out_.file.top);
}

void Reader::ReadLayer(const toml::table& table, Layer& layer) {
  for (const auto& [key, node] : InFileOrder(table)) {
    if (key->str() != kProfile) {
      ReadSetting(*key, *node, layer);
    } else if (layer.kind == LayerKind::kUser) {
      ReadProfiles(*key, *node);
    } else {
      Complain(key->source(),
               {"a profile holds no profiles", "", "start each with its own [profile.NAME]"});
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
  for (const auto& [name, body] : InFileOrder(*profiles)) ReadProfile(*name, *body);
}

void Reader::ReadProfile(const toml::key& name, const toml::node& body) {
  const bool plain = !name.str().empty() && name.str().find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                                                "VWXYZ0123456789._-") == string_view::npos;
  if (!plain) {
    Complain(name.source(), {fmt::format("a profile cannot be named '{}'", Printable(name.str())),
                             "", "use letters, digits, '.', '-' and '_'"});
    return;
  }
  if (!body.is_table()) {
    const bool setting = FindKey(name.str()) != nullptr || FindSpelling(name.str()) != nullptr;
    Complain(name.source(),
             {fmt::format("profile '{}' must be a table, not {}", name.str(), TypeName(body)), "",
              setting ? "give the profile a name: [profile.NAME]"
                      : fmt::format("start it with [profile.{}]", name.str())});
    return;
  }
  Layer layer;
  layer.kind = LayerKind::kProfile;
  layer.name = name.str();
  ReadLayer(*body.as_table(), layer);
  out_.file.profiles.push_back(std::move(layer));
}

void Reader::ComplainAboutKey(const toml::key& key, const Layer& layer) {
  std::vector<string_view> names(SettingNames().begin(), SettingNames().end());
  if (layer.kind == LayerKind::kUser) names.push_back(kProfile);
  // Nobody reads further than this; the nearest name costs more than the rest of the file.
  constexpr std::size_t kMostHints = 100;
  std::string hint;
  if (out_.diagnostics.size() < kMostHints) hint = DidYouMean(key.str(), names);
  std::string fix = hint.empty() ? "agent-sandbox run --help lists the settings" : "";
  Complain(key.source(), {fmt::format("unknown key '{}'", Printable(key.str())), std::move(hint),
                          std::move(fix)});
}

void Reader::ReadSetting(const toml::key& key, const toml::node& node, Layer& layer) {
  if (const Spelling* spelling = FindSpelling(key.str())) {
    ReadSpelling(*spelling, key, node, layer);
    return;
  }
  const KeySpec* spec = FindKey(key.str());
  if (spec == nullptr) {
    ComplainAboutKey(key, layer);
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
    Complain(node.source(), WrongType(spelling, node));
    return;
  }
  const auto value = SpelledValue(spelling, on->get());
  if (!value) {
    Complain(node.source(), RefusedSpelling(spelling, ValueSource::kFile));
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
    Complain(node.source(), WrongType(spec, node));
    return;
  }
  AddChecked(spec, std::move(item), node, setting);
}

void Reader::ReadList(const KeySpec& spec, const toml::node& node, Setting& setting) {
  const toml::array* list = node.as_array();
  if (list == nullptr) {
    Complain(node.source(), WrongType(spec, node));
    return;
  }
  setting.items.reserve(list->size());
  for (const toml::node& element : *list) {
    Item item;
    if (const auto* table = element.as_table();
        table != nullptr && spec.type == KeyType::kBindList) {
      auto bind = ReadBind(*table);
      if (!bind) continue;
      item = std::move(*bind);
    } else if (const auto* text = element.as_string();
               text != nullptr && spec.type != KeyType::kBindList) {
      item.text = text->get();
    } else {
      Complain(element.source(), WrongElement(spec, element));
      continue;
    }
    item.origin = setting.origin;
    item.origin.line = element.source().begin.line;
    item.origin.column = element.source().begin.column;
    AddChecked(spec, std::move(item), element, setting);
  }
  const auto* program = list->empty() ? nullptr : list->front().as_string();
  if (spec.key == Key::kCommand && program != nullptr && program->get().empty()) {
    Complain(program->source(),
             {"'command' starts with an empty word: no program", "", "name the program first"});
  }
}

/// Takes one field into `item`; false, with a message, when it is none or no string.
bool Reader::ReadBindField(const toml::key& key, const toml::node& value, Item& item) {
  std::string* const fields[] = {&item.text, &item.target, &item.mode};
  const auto* known = std::find(kBindFields.begin(), kBindFields.end(), key.str());
  if (known == kBindFields.end()) {
    std::string hint = DidYouMean(key.str(), kBindFields);
    std::string fix = hint.empty() ? "use source, target and mode" : "";
    Complain(key.source(), {fmt::format("unknown key '{}' in 'bind'", Printable(key.str())),
                            std::move(hint), std::move(fix)});
    return false;
  }
  const auto* text = value.as_string();
  if (text == nullptr) {
    Complain(value.source(),
             {fmt::format("'{}' of 'bind' must be a string, not {}", key.str(), TypeName(value)),
              "", ""});
    return false;
  }
  *fields[known - kBindFields.begin()] = text->get();
  return true;
}

std::optional<Item> Reader::ReadBind(const toml::table& table) {
  Item item;
  item.mode = "ro";
  bool good = true;
  for (const auto& [key, value] : table) good = ReadBindField(key, value, item) && good;
  // A field that is mistyped is not missing too.
  if (!good) return std::nullopt;
  std::string lacking;
  for (const string_view field : {kBindFields[0], kBindFields[1]}) {
    if (table.contains(field)) continue;
    lacking += fmt::format("{}its '{}'", lacking.empty() ? "" : " and ", field);
  }
  if (lacking.empty()) return item;
  Complain(table.source(),
           {fmt::format("'bind' lacks {}", lacking), "", fmt::format("write {}", kBindExample)});
  return std::nullopt;
}

void Reader::AddChecked(const KeySpec& spec, Item item, const toml::node& node, Setting& setting) {
  ValueProblems problems = CheckItem(spec, item, ValueSource::kFile);
  for (ValueProblem& problem : problems) {
    const toml::source_region& at = RegionOf(node, problem.part);
    Complain(at, std::move(problem));
  }
  if (problems.empty()) setting.items.push_back(std::move(item));
}

void Reader::Store(Key which, const toml::key& key, Setting setting, Layer& layer) {
  std::optional<Setting>& slot = layer.At(which);
  if (slot) {
    Complain(key.source(),
             {fmt::format("'{}' is set twice: line {} sets it too, in another spelling",
                          SpecOf(which).name, slot->origin.line),
              "", "keep one of them"});
    return;
  }
  slot = std::move(setting);
}

}  // namespace

ParsedPolicy ParsePolicy(std::string_view text, const std::string& place) {
  ParsedPolicy out;
  if (text.size() > kLargestPolicy) {
    out.diagnostics.push_back(
        {place, 0, 0, 1,
         fmt::format("a policy has at most {} bytes, this one has {}", kLargestPolicy, text.size()),
         "", "name folders instead of the files in them", ""});
    return out;
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Reader(text, place, out).Read();
  return out;
}

}  // namespace asb
