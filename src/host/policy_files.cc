#include "host/policy_files.h"

#include <fmt/format.h>

#include <cerrno>

#include "base/path.h"
#include "base/text.h"
#include "plan/rules.h"
#include "policy/parse.h"
#include "sys/files.h"

namespace asb {

Result<std::optional<PolicyText>> ReadPolicyText(const std::string& path, const std::string& home,
                                                 WhenMissing when_missing) {
  const Result<AbsolutePath> absolute = AbsolutePath::Parse(path);
  const Result<AbsolutePath> folder = AbsolutePath::Parse(home);
  std::string place = absolute && folder ? ShortPath(*absolute, *folder) : path;
  Result<std::string> bytes = ReadRegularFile(path, kLargestPolicy);
  if (bytes) return PolicyText{std::move(*bytes), std::move(place)};
  if (bytes.error().sys_errno == ENOENT && when_missing == WhenMissing::kNothing) {
    return std::nullopt;
  }
  return Fail(ErrorKind::kPolicy,
              fmt::format("policy '{}': {}", Printable(place), bytes.error().what),
              "name a readable policy file with -c, or use --no-config");
}

}  // namespace asb
