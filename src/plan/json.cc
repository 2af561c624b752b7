#include "plan/json.h"

#include <fmt/format.h>

#include "base/text.h"

namespace asb {

Json JsonBytes(std::string_view bytes) {
  if (IsUtf8(bytes)) return std::string(bytes);
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return Json{{"hex", hex}};
}

std::optional<std::string> BytesOfJson(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_object() || json.size() != 1 || !json.contains("hex")) return std::nullopt;
  if (!json["hex"].is_string()) return std::nullopt;
  const std::string hex = json["hex"].get<std::string>();
  std::string out;
  const auto digit = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  if (hex.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]);
    const int low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
  }
  return out;
}

Json JsonOrigin(const Origin& origin) {
  Json out{{"layer", std::string(LayerName(origin.layer))},
           {"place", JsonBytes(origin.place.text())}};
  if (origin.line > 0) out["line"] = origin.line;
  if (origin.column > 0) out["column"] = origin.column;
  return out;
}

std::string DumpJson(const Json& json) {
  constexpr bool kAsciiOnly = true;  // DEL is escaped with the rest
  return json.dump(2, ' ', kAsciiOnly) + "\n";
}

}  // namespace asb
