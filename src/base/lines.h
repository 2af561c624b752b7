// A text as numbered lines. The line starts are found once, so that thousands of messages about one
// file stay cheap.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace asb {

class Lines {
 public:
  /// `text` must outlive this.
  explicit Lines(std::string_view text);

  /// Line `number` (1-based) without its end ("\n" or "\r\n"); empty when there is none.
  [[nodiscard]] std::string_view At(std::uint32_t number) const;

  /// The number of the line that holds `byte` of the text.
  [[nodiscard]] std::uint32_t NumberOf(std::size_t byte) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace asb
