// Where a value comes from. Every setting, rule, mount and message of this project can answer
// "who said so?" with one of these.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace asb {

/// The layers of a policy, from the one that is overruled to the one that overrules.
enum class LayerKind : std::uint8_t { kBuiltin, kUser, kProfile, kCommandLine };

/// A name that many origins share: ten thousand rules of one file hold one copy of its path.
class PlaceName {
 public:
  PlaceName() = default;
  // NOLINTBEGIN(google-explicit-constructor): a name is text, wherever text is at hand.
  PlaceName(std::string_view text) : text_(std::make_shared<const std::string>(text)) {}
  PlaceName(const std::string& text) : PlaceName(std::string_view(text)) {}
  PlaceName(const char* text) : PlaceName(std::string_view(text)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] std::string_view text() const {
    return text_ ? std::string_view(*text_) : std::string_view();
  }
  friend bool operator==(const PlaceName& a, const PlaceName& b) { return a.text() == b.text(); }
  friend auto operator<=>(const PlaceName& a, const PlaceName& b) { return a.text() <=> b.text(); }

 private:
  std::shared_ptr<const std::string> text_;
};

struct Origin {
  LayerKind layer = LayerKind::kBuiltin;
  PlaceName place;           ///< file as shown to people; a flag ("--ro") on the command line
  std::uint32_t line = 0;    ///< 1-based; 0: no line
  std::uint32_t column = 0;  ///< 1-based; 0: no column

  friend bool operator==(const Origin&, const Origin&) = default;
  /// By layer, then by place: a total order that does not depend on when a rule was read.
  friend auto operator<=>(const Origin&, const Origin&) = default;
};

/// "builtin data/secrets.toml:4", "~/.config/agent-sandbox/config.toml:7", "command line --ro".
std::string DescribeOrigin(const Origin& origin);

/// "builtin", "user", "profile", "command-line": the names used in JSON.
std::string_view LayerName(LayerKind layer);

}  // namespace asb
