// Bytes as people see them: quoting for a terminal and for a shell, and finding the word that was
// meant. Names on a file system are arbitrary bytes; nothing here ever prints them raw.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace asb {

/// How many bytes of `bytes` are well-formed UTF-8 (no surrogates, no overlong forms), up to the
/// first that are not.
std::size_t Utf8Prefix(std::string_view bytes);

/// True when all of `bytes` is well-formed UTF-8.
bool IsUtf8(std::string_view bytes);

/// The number of characters (code points) in UTF-8 text.
std::size_t CharacterCount(std::string_view text);

/// The byte at which character `number` (0-based) of `text` starts, or the end of `text`.
std::size_t ByteOfCharacter(std::string_view text, std::size_t number);

/// `text` with A-Z as a-z; every other byte as it is.
std::string LowerCase(std::string_view text);

/// `bytes` made harmless for a terminal: printable UTF-8 stays, everything else (control
/// characters, bidi and invisible format characters, bytes that are not UTF-8) becomes \n, \t, \xNN
/// or \u{NNNN}. A backslash becomes two only when something else had to be escaped.
std::string Printable(std::string_view bytes);

/// `bytes` as one word of a POSIX shell, byte for byte; plain words stay as they are. Bytes that
/// are not printable use bash's $'…' form.
std::string ShellQuote(std::string_view bytes);

/// The candidate that `word` was probably meant to be: at most a third of its letters differ
/// (insertions, deletions, replacements, swapped neighbours), whatever their case. Nothing when
/// none is near.
std::optional<std::string_view> NearestWord(std::string_view word,
                                            std::span<const std::string_view> candidates);

/// "did you mean 'home'?" of the nearest candidate, or empty when none is near.
std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates);

/// "a, b, c"
std::string JoinWords(std::span<const std::string_view> words, std::string_view separator = ", ");

/// "1 error", "2 errors"
std::string Count(std::size_t number, std::string_view noun);

}  // namespace asb
