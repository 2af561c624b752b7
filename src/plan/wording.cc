#include "plan/wording.h"

#include "base/glob.h"
#include "base/text.h"

namespace asb {

using std::string_view;

std::string ExpandAnchor(string_view text, TextKind kind, const AbsolutePath& home,
                         const AbsolutePath& workspace) {
  const AbsolutePath* anchor = nullptr;
  if (text == "~" || text.starts_with("~/")) anchor = &home;
  if (text == "." || text.starts_with("./")) anchor = &workspace;
  if (anchor == nullptr) return std::string(text);
  std::string out = kind == TextKind::kPattern ? GlobEscape(anchor->text()) : anchor->text();
  return out.append(text.substr(1));
}

AbsolutePath LiteralFolder(std::string_view pattern) {
  std::size_t end = 0;
  for (std::size_t at = pattern.find('/', 1); at != std::string_view::npos;
       at = pattern.find('/', at + 1)) {
    if (HasGlob(pattern.substr(0, at))) break;
    end = at;
  }
  return AbsolutePath::Parse(end == 0 ? "/" : GlobLiteral(pattern.substr(0, end)))
      .value_or(AbsolutePath());
}

Diagnostic AtOrigin(const Origin& origin, std::string message, std::string fix) {
  Diagnostic diagnostic;
  Origin place = origin;
  place.line = 0;  // the diagnostic prints it
  diagnostic.place = DescribeOrigin(place);
  diagnostic.line = origin.line;
  diagnostic.column = origin.column;
  diagnostic.message = std::move(message);
  diagnostic.fix = std::move(fix);
  return diagnostic;
}

std::string ShortPath(const AbsolutePath& path, const AbsolutePath& home) {
  if (home.IsRoot() || !path.IsWithin(home)) return Printable(path.text());
  return Printable("~" + path.text().substr(home.text().size()));
}

}  // namespace asb
