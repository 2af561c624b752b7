// Numbers and strings in a row of bytes, little end first; reading past the end is remembered, not
// done.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace asb {

class ByteWriter {
 public:
  void Byte(std::uint8_t value) { out_.push_back(static_cast<char>(value)); }
  void Number(std::uint32_t value) {
    for (unsigned shift = 0; shift < 32; shift += 8)
      Byte(static_cast<std::uint8_t>(value >> shift));
  }
  void Text(std::string_view text) {
    Number(static_cast<std::uint32_t>(text.size()));
    out_ += text;
  }
  void Texts(const std::vector<std::string>& texts) {
    Number(static_cast<std::uint32_t>(texts.size()));
    for (const std::string& text : texts) Text(text);
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t Byte() {
    const std::string_view taken = Bytes(1);
    return taken.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(taken[0]);
  }
  std::uint32_t Number() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) value |= std::uint32_t{Byte()} << shift;
    return value;
  }
  std::string Text() { return std::string(Bytes(Number())); }
  std::vector<std::string> Texts() {
    std::vector<std::string> texts;
    // A count that lies ends at the end of the bytes: every text takes at least four.
    for (std::uint32_t left = Number(); left > 0 && ok_; --left) texts.push_back(Text());
    return texts;
  }
  /// True when everything was there and nothing is left over.
  [[nodiscard]] bool AtEnd() const { return ok_ && rest_.empty(); }

 private:
  std::string_view Bytes(std::size_t count) {
    if (count > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace asb
