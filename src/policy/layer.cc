#include "policy/layer.h"

#include <algorithm>

namespace asb {

bool SameSettings(const Layer& a, const Layer& b) {
  const auto same_item = [](const Item& x, const Item& y) {
    return x.text == y.text && x.target == y.target && x.mode == y.mode;
  };
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    const auto& x = a.settings[i];
    const auto& y = b.settings[i];
    if (x.has_value() != y.has_value()) return false;
    if (x && !std::equal(x->items.begin(), x->items.end(), y->items.begin(), y->items.end(),
                         same_item)) {
      return false;
    }
  }
  return true;
}

}  // namespace asb
