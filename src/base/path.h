// An absolute path in one spelling.
//
// The invariant: starts with '/', no empty, "." or ".." component, no trailing '/', no NUL, at most
// 4095 bytes. It says nothing about the file system: links are the business of plan/resolve.
// Order is by component, so that a folder sorts directly before everything below it and a subtree
// is a contiguous range.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace asb {

class AbsolutePath {
 public:
  /// The root, "/".
  AbsolutePath() : text_("/") {}

  /// Brings `text` into the one spelling: doubled slashes and "." vanish. Refuses, with the reason,
  /// what is empty, relative, holds ".." or NUL, or is too long.
  static Result<AbsolutePath> Parse(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool IsRoot() const { return text_.size() == 1; }

  /// The folder that holds this path; the root is its own parent.
  [[nodiscard]] AbsolutePath Parent() const;

  /// The last component; empty for the root.
  [[nodiscard]] std::string_view Name() const;

  /// This path with one more component, which must be a plain name (not ".", "..", no '/').
  [[nodiscard]] AbsolutePath Child(std::string_view name) const;

  /// True when this path is `folder` or lies below it, by component.
  [[nodiscard]] bool IsWithin(const AbsolutePath& folder) const;

  /// The same place below another root: /srv/a/x moved from /srv/a to /mnt is /mnt/x.
  /// Requires IsWithin(from).
  [[nodiscard]] AbsolutePath Moved(const AbsolutePath& from, const AbsolutePath& to) const;

  friend bool operator==(const AbsolutePath&, const AbsolutePath&) = default;
  friend std::strong_ordering operator<=>(const AbsolutePath& a, const AbsolutePath& b);

 private:
  explicit AbsolutePath(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// The absolute ones of folders joined by ':', as in PATH; a relative one means something else in
/// every folder.
std::vector<std::string> AbsoluteFolders(std::string_view list);

struct AbsolutePathHash {
  std::size_t operator()(const AbsolutePath& path) const {
    return std::hash<std::string>{}(path.text());
  }
};

}  // namespace asb
