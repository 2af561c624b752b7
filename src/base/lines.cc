#include "base/lines.h"

#include <algorithm>

namespace asb {

Lines::Lines(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1)) {
    starts_.push_back(end + 1);
  }
}

std::string_view Lines::At(std::uint32_t number) const {
  if (number == 0 || number > starts_.size()) return {};
  const std::size_t start = starts_[number - 1];
  const std::size_t end = number < starts_.size() ? starts_[number] - 1 : text_.size();
  std::string_view line = text_.substr(start, end - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::uint32_t Lines::NumberOf(std::size_t byte) const {
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), byte);
  return static_cast<std::uint32_t>(behind - starts_.begin());
}

}  // namespace asb
