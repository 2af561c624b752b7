#include "policy/origin.h"

#include "base/text.h"

namespace asb {

std::string DescribeOrigin(const Origin& origin) {
  std::string out;
  if (origin.layer == LayerKind::kBuiltin) out = "builtin ";
  // "command line --ro", but "the current directory".
  if (origin.layer == LayerKind::kCommandLine && origin.place.text().starts_with('-')) {
    out = "command line ";
  }
  out += Printable(origin.place.text());
  if (origin.line > 0) out.append(":").append(std::to_string(origin.line));
  return out;
}

std::string_view LayerName(LayerKind layer) {
  switch (layer) {
    case LayerKind::kBuiltin:
      return "builtin";
    case LayerKind::kUser:
      return "user";
    case LayerKind::kProfile:
      return "profile";
    case LayerKind::kCommandLine:
      return "command-line";
  }
  return "?";
}

}  // namespace asb
