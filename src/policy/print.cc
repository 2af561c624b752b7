#include "policy/print.h"

#include <fmt/format.h>

namespace asb {
namespace {

std::string PrintItem(const KeySpec& key, const Item& item) {
  if (key.type == KeyType::kSwitch) return item.text;
  if (key.type != KeyType::kBindList) return TomlString(item.text);
  return fmt::format("{{source = {}, target = {}, mode = {}}}", TomlString(item.text),
                     TomlString(item.target), TomlString(item.mode));
}

std::string PrintSetting(const KeySpec& key, const Setting& setting) {
  if (!IsList(key.type)) return PrintItem(key, setting.items.front());
  if (setting.items.empty()) return "[]";
  if (setting.items.size() == 1) return fmt::format("[{}]", PrintItem(key, setting.items.front()));
  std::string out = "[\n";
  for (const Item& item : setting.items) out += fmt::format("  {},\n", PrintItem(key, item));
  return out + "]";
}

}  // namespace

std::string TomlString(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string PrintLayer(const Layer& layer) {
  std::string out;
  for (const KeySpec& key : AllKeys()) {
    const std::optional<Setting>& setting = layer.Get(key.key);
    if (setting) out += fmt::format("{} = {}\n", key.name, PrintSetting(key, *setting));
  }
  return out;
}

std::string PrintPolicy(const PolicyFile& file) {
  std::string out = PrintLayer(file.top);
  for (const Layer& profile : file.profiles) {
    out += fmt::format("\n[profile.{}]\n{}", TomlString(profile.name), PrintLayer(profile));
  }
  return out;
}

}  // namespace asb
