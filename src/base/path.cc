#include "base/path.h"

#include <algorithm>
#include <cstring>

namespace asb {
namespace {
constexpr std::size_t kLongest = 4095;  // PATH_MAX without its NUL
}

Result<AbsolutePath> AbsolutePath::Parse(std::string_view text) {
  if (text.empty()) return Fail(ErrorKind::kPolicy, "an empty path names nothing");
  if (text.size() > kLongest) {
    return Fail(ErrorKind::kPolicy, "longer than 4095 bytes, the kernel's limit for a path");
  }
  if (text.find('\0') != std::string_view::npos) {
    return Fail(ErrorKind::kPolicy, "holds a NUL byte, which no file name can");
  }
  if (text[0] != '/') return Fail(ErrorKind::kPolicy, "is not an absolute path");
  // Most paths are in their one spelling already: no component that starts with '.' or is empty.
  const bool plain = text.find("/.") == std::string_view::npos &&
                     text.find("//") == std::string_view::npos &&
                     (text.size() == 1 || text.back() != '/');
  if (plain) return AbsolutePath(std::string(text));
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('/', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    if (part == "..") {
      return Fail(ErrorKind::kPolicy, "holds '..', whose meaning changes with links",
                  "write the path without '..'");
    }
    if (!part.empty() && part != ".") {
      out += '/';
      out += part;
    }
    at = end + 1;
  }
  return out.empty() ? AbsolutePath() : AbsolutePath(std::move(out));
}

AbsolutePath AbsolutePath::Parent() const {
  const std::size_t slash = text_.rfind('/');
  return slash == 0 ? AbsolutePath() : AbsolutePath(text_.substr(0, slash));
}

std::string_view AbsolutePath::Name() const {
  return std::string_view(text_).substr(text_.rfind('/') + 1);
}

AbsolutePath AbsolutePath::Child(std::string_view name) const {
  std::string out;
  out.reserve(text_.size() + 1 + name.size());
  if (!IsRoot()) out = text_;
  out += '/';
  out += name;
  return AbsolutePath(std::move(out));
}

bool AbsolutePath::IsWithin(const AbsolutePath& folder) const {
  if (folder.IsRoot()) return true;
  return text_.starts_with(folder.text_) &&
         (text_.size() == folder.text_.size() || text_[folder.text_.size()] == '/');
}

AbsolutePath AbsolutePath::Moved(const AbsolutePath& from, const AbsolutePath& to) const {
  if (text_ == from.text_) return to;
  const std::string_view rest =
      std::string_view(text_).substr(from.IsRoot() ? 1 : from.text_.size() + 1);
  return to.Child(rest);
}

namespace {

/// Where two texts first differ; the shorter one's length when they do not. Eight bytes at a time:
/// sorting ten thousand paths is mostly this.
std::size_t FirstDifference(std::string_view a, std::string_view b) {
  const std::size_t shared = std::min(a.size(), b.size());
  std::size_t at = 0;
  for (; at + 8 <= shared; at += 8) {
    if (std::memcmp(a.data() + at, b.data() + at, 8) != 0) break;
  }
  while (at < shared && a[at] == b[at]) ++at;
  return at;
}

}  // namespace

std::strong_ordering operator<=>(const AbsolutePath& a, const AbsolutePath& b) {
  const std::size_t at = FirstDifference(a.text_, b.text_);
  // '/' sorts before every other byte: a folder's children come before its longer-named siblings.
  const auto weight = [](char c) { return c == '/' ? 0U : 1U + static_cast<unsigned char>(c); };
  if (at < std::min(a.text_.size(), b.text_.size())) {
    return weight(a.text_[at]) <=> weight(b.text_[at]);
  }
  if (a.text_.size() == b.text_.size()) return std::strong_ordering::equal;
  // The root ends in the slash that every other path only starts with.
  return a.text_.size() <=> b.text_.size();
}

std::vector<std::string> AbsoluteFolders(std::string_view list) {
  std::vector<std::string> out;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(':', start), list.size());
    if (list.substr(start, end - start).starts_with('/')) {
      out.emplace_back(list.substr(start, end - start));
    }
    start = end + 1;
  }
  return out;
}

}  // namespace asb
