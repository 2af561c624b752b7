#include "policy/syntax_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace asb {
namespace {

using std::string_view;

struct Wording {
  string_view scope;   ///< of toml++'s grammar; empty: any
  string_view theirs;  ///< their text starts with this
  string_view ours;    ///< {} is what was seen
  string_view fix;
};

constexpr string_view kNoValue = "expected value, saw ";
constexpr string_view kHeader = "table header";

constexpr std::array<Wording, 11> kWordings{{
    {"", kNoValue, "no value behind '='", "write a value, or remove the line"},
    {"", "expected '=', saw ", "expected '=', saw {}", "a setting is written NAME = VALUE"},
    {"", "expected keys, tables, whitespace or comments, saw ", "a line cannot start with {}",
     "a setting is written NAME = VALUE"},
    {"", "expected a comment or whitespace, saw ", "expected the end of the line, saw {}",
     "one setting a line"},
    {"", "expected value-terminator, saw ", "expected the end of the value, saw {}", ""},
    {"", "expected key or closing '}', saw the end of the line",
     "a table in braces stays on one line", "write it on one line, or use [[bind]]"},
    {"key", "expected bare key starting character or string delimiter, saw ",
     "expected a name, saw {}", "a name with other characters than A-Z a-z 0-9 _ - needs quotes"},
    {kHeader, "tables with blank bare keys", "a name is missing between the brackets",
     "start a profile with [profile.NAME]"},
    {"array", "encountered end-of-file", "the file ends inside a list", "close it with ]"},
    {"string", "encountered end-of-file", "the file ends inside a string", R"(close it with """)"},
    {"literal string", "encountered end-of-file", "the file ends inside a string",
     "close it with '''"},
}};

/// One error on its way from their words to ours.
struct Translation {
  string_view scope;
  std::string text;  ///< theirs, with "the end of the line" for '\n'
  string_view line;
  std::size_t at = 0;  ///< byte of `line`; its size: behind the end
  SyntaxMessage out;

  /// Moves the caret to `length` bytes from `from` on.
  void Mark(std::size_t from, std::size_t length) {
    out.column = static_cast<std::uint32_t>(CharacterCount(line.substr(0, from)) + 1);
    out.width = static_cast<std::uint32_t>(
        std::max<std::size_t>(1, CharacterCount(line.substr(from, length))));
  }
  void Say(std::string message, std::string fix = {}) {
    out.message = std::move(message);
    out.fix = std::move(fix);
  }
};

/// The first part of the key that toml++ quotes: "cannot redefine existing string 'home.x' as
/// table" → "home". Further parts are garbled when they are in quotes themselves.
string_view QuotedStart(string_view text) {
  const std::size_t open = text.find('\'');
  if (open == string_view::npos) return {};
  return text.substr(open + 1, text.find_first_of(".'", open + 1) - open - 1);
}

Translation Open(const SyntaxError& error, const Lines& lines) {
  Translation t;
  string_view description = error.description;
  constexpr string_view kPreamble = "Error while parsing ";
  if (description.starts_with(kPreamble)) {
    description.remove_prefix(kPreamble.size());
    t.scope = description.substr(0, description.find(": "));
    description.remove_prefix(std::min(t.scope.size() + 2, description.size()));
  }
  const bool at_line_end =
      description.ends_with(R"(saw '\n')") || description.ends_with(R"(saw '\r')");
  if (at_line_end) description.remove_suffix(4);
  t.text = fmt::format("{}{}", description, at_line_end ? "the end of the line" : "");
  t.out.line = error.line;
  t.line = lines.At(t.out.line);
  // What a header contradicts is noticed behind it, where the next line starts.
  const bool noticed_late = t.out.line > 1 && t.scope == kHeader && t.text.starts_with("cannot ") &&
                            t.line.find(QuotedStart(t.text)) == string_view::npos;
  if (noticed_late) t.line = lines.At(--t.out.line);
  t.at = ByteOfCharacter(t.line, std::max(error.column, 1U) - 1);
  t.Mark(t.at, 1);
  return t;
}

/// The key whose value starts at `at`, as it is written.
string_view KeyBefore(string_view line, std::size_t at) {
  string_view before = line.substr(0, line.substr(0, at).rfind('='));
  const std::size_t start = before.find_first_not_of(" \t", before.find_last_of("{,") + 1);
  before = before.substr(std::min(start, before.size()));
  return before.substr(0, before.find_last_not_of(" \t") + 1);
}

bool SaySetTwice(Translation& t) {
  const bool twice =
      t.text.starts_with("cannot redefine existing ") || t.text.starts_with("cannot insert ");
  if (!twice) return false;
  string_view name;
  if (t.scope == kHeader) {
    const std::size_t start = std::min(t.line.find('['), t.line.size());
    const std::size_t close = t.line.find_last_of(']', t.line.find('#'));
    const string_view header = t.line.substr(start, close + 1 - start);
    t.Mark(start, header.size());
    name = header.substr(0, header.find_last_not_of("] \t") + 1);
    name.remove_prefix(std::min(name.find_first_not_of("[ \t"), name.size()));
  } else {
    // A dotted key is noticed at the part that is a value already, any other at its value.
    const bool dotted = t.text.ends_with("as dotted key-value pair");
    name = dotted ? t.line.substr(t.at, t.line.find_first_of(" \t.=", t.at) - t.at)
                  : KeyBefore(t.line, t.at);
    t.Mark(static_cast<std::size_t>(name.data() - t.line.data()), name.size());
  }
  t.Say(fmt::format("'{}' is set twice", name), "keep one of them");
  return true;
}

bool SayTooDeep(Translation& t) {
  constexpr string_view kTheirs = "exceeded maximum nested value depth of ";
  if (!t.text.starts_with(kTheirs)) return false;
  const std::size_t end = t.text.find(' ', kTheirs.size());
  t.Say(fmt::format("nested deeper than {} levels",
                    t.text.substr(kTheirs.size(), end - kTheirs.size())),
        "no setting needs more than a list of tables");
  return true;
}

bool SayControlCharacter(Translation& t) {
  if (t.text.find("control character") == std::string::npos) return false;
  const bool in_string = t.scope == "string" || t.scope == "literal string";
  if (in_string && t.at == t.line.size()) {
    t.Say("not TOML: the string is not closed",
          fmt::format("end it with {}", t.scope == "string" ? '"' : '\''));
  } else {
    t.Say("not TOML: control characters are not allowed", "remove it");
  }
  return true;
}

bool SayUnknownEscape(Translation& t) {
  const std::size_t found = t.text.find(R"(escape sequence '\)");
  if (found == std::string::npos || t.at == 0) return false;
  const std::size_t length = t.text.rfind('\'') + 1 - found;
  t.Mark(t.at - 1, 1);
  t.out.width = 2;
  t.Say(fmt::format("not TOML: unknown {}", t.text.substr(found, length)),
        R"(write \\ for a backslash, or put the text in single quotes)");
  return true;
}

/// `word` without the quotes of a word processor; nothing when it has none.
std::optional<string_view> InsideCurlyQuotes(string_view word) {
  constexpr std::array<string_view, 8> kQuotes{"“", "”", "„", "‘", "’", "«", "»", "`"};
  bool found = false;
  for (const string_view quote : kQuotes) {
    found = found || word.starts_with(quote);
    if (word.starts_with(quote)) word.remove_prefix(quote.size());
    if (word.ends_with(quote)) word.remove_suffix(quote.size());
  }
  return found ? std::optional(word) : std::nullopt;
}

/// A word that is no value: text without quotes, or True.
bool SayBareWord(Translation& t) {
  if (t.scope != "value" && t.scope != "boolean" && t.scope != "floating-point") return false;
  constexpr string_view kAround = " \t=[]{},;#";
  const std::size_t before = t.line.substr(0, t.at).find_last_of(kAround);
  const std::size_t start = before == string_view::npos ? 0 : before + 1;
  std::size_t end = std::min(t.line.find_first_of("=[]{},;#", start), t.line.size());
  if (end < t.line.size() && t.line[end] == '=') end = t.line.find_first_of(kAround, start);
  string_view word = t.line.substr(start, end - start);
  word = word.substr(0, word.find_last_not_of(" \t") + 1);
  const bool number =
      word.empty() || string_view("+-0123456789").find(word[0]) != string_view::npos;
  if (number || word == "true" || word == "false") return false;
  t.Mark(start, word.size());
  const std::string lower = LowerCase(word);
  if (lower == "true" || lower == "false") {
    t.Say(fmt::format("not TOML: '{}' is written in small letters", lower),
          fmt::format("write {}", lower));
  } else if (const auto inside = InsideCurlyQuotes(word)) {
    t.Say("not TOML: text needs plain quotes", fmt::format("write \"{}\"", *inside));
  } else {
    t.Say("not TOML: text needs quotes", fmt::format("write \"{}\"", word));
  }
  return true;
}

bool SayByTable(Translation& t) {
  const auto* row = std::find_if(kWordings.begin(), kWordings.end(), [&t](const Wording& wording) {
    return (wording.scope.empty() || wording.scope == t.scope) &&
           t.text.starts_with(wording.theirs);
  });
  if (row == kWordings.end()) return false;
  const string_view seen = string_view(t.text).substr(row->theirs.size());
  t.Say(fmt::format("not TOML: {}", fmt::format(fmt::runtime(row->ours), seen)),
        std::string(row->fix));
  return true;
}

}  // namespace

SyntaxMessage DescribeSyntaxError(const SyntaxError& error, const Lines& lines) {
  Translation t = Open(error, lines);
  // A value may stand on the line below, and settings belong to the header above them.
  t.out.line_stands_alone = !t.text.starts_with(kNoValue) && t.scope != kHeader;
  const bool known = SaySetTwice(t) || SayTooDeep(t) || SayControlCharacter(t) ||
                     SayUnknownEscape(t) || SayBareWord(t) || SayByTable(t);
  if (!known) t.Say(fmt::format("not TOML: {}", t.text));
  return std::move(t.out);
}

}  // namespace asb
