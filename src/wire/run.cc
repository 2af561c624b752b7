#include "wire/run.h"

#include "wire/bytes.h"

namespace asb {

std::string Encode(const Run& run) {
  ByteWriter out;
  out.Text(run.version);
  out.Texts(run.argv);
  out.Texts(run.environment);
  out.Text(run.folder);
  std::uint8_t flags = run.terminal ? 1U : 0U;
  for (unsigned i = 0; i < 3; ++i)
    flags |= static_cast<std::uint8_t>(run.on_terminal[i] << (i + 1));
  flags |= static_cast<std::uint8_t>(run.foreground << 4U);
  flags |= static_cast<std::uint8_t>(run.guarded << 5U);
  out.Byte(flags);
  return out.Take();
}

std::optional<Run> DecodeRun(std::string_view bytes) {
  ByteReader in(bytes);
  Run run;
  run.version = in.Text();
  run.argv = in.Texts();
  run.environment = in.Texts();
  run.folder = in.Text();
  const std::uint8_t flags = in.Byte();
  run.terminal = (flags & 1U) != 0;
  for (unsigned i = 0; i < 3; ++i) run.on_terminal[i] = ((flags >> (i + 1)) & 1U) != 0;
  run.foreground = ((flags >> 4U) & 1U) != 0;
  run.guarded = ((flags >> 5U) & 1U) != 0;
  if (!in.AtEnd() || run.argv.empty() || (flags >> 6U) != 0) return std::nullopt;
  return run;
}

}  // namespace asb
