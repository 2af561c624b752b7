// SHA-256 (FIPS 180-4): what a policy that travels is recognised by.
#pragma once

#include <string>
#include <string_view>

namespace asb {

/// The digest of `bytes` as 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace asb
