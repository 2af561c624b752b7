// What is wrong with a text, and where: the one shape of every policy message.
//
//   ~/.config/agent-sandbox/config.toml:7:1: unknown key 'whitlist'
//       whitlist = true
//       ^~~~~~~~  did you mean 'whitelist'?
//     fix: …
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace asb {

struct Diagnostic {
  std::string place;         ///< file as shown to people, or "command line"
  std::uint32_t line = 0;    ///< 1-based; 0: no line (the command line)
  std::uint32_t column = 0;  ///< 1-based, in characters; 0: the whole line
  std::uint32_t width = 1;   ///< characters that the caret underlines
  std::string message;       ///< what is wrong, no full stop
  std::string hint;          ///< stands behind the caret: "did you mean 'view'?"
  std::string fix;           ///< one command or one line; may be empty
  std::string source_line;   ///< the line itself, for the caret; may be empty
};

/// Bytes of a source line; a longer one is not shown, so there is no need to store it.
inline constexpr std::size_t kWidestSourceLine = 160;

using Diagnostics = std::vector<Diagnostic>;

/// One diagnostic as people read it, ending in a newline. Nothing in it can act on a terminal.
std::string RenderDiagnostic(const Diagnostic& diagnostic);

/// The first fifty by place and line, then how many more there are; the last line counts all:
/// "N errors".
std::string RenderDiagnostics(Diagnostics diagnostics);

}  // namespace asb
