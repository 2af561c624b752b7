#include "wire/message.h"

#include "wire/bytes.h"

namespace asb {

std::string Encode(const Message& message) {
  ByteWriter out;
  out.Byte(static_cast<std::uint8_t>(message.kind));
  out.Byte(static_cast<std::uint8_t>(message.phase));
  out.Number(static_cast<std::uint32_t>(message.number));
  out.Text(std::string_view(message.text).substr(0, kMostText));
  return out.Take();
}

std::optional<Message> DecodeMessage(std::string_view bytes) {
  ByteReader in(bytes);
  Message message;
  const std::uint8_t kind = in.Byte();
  const std::uint8_t phase = in.Byte();
  message.number = static_cast<std::int32_t>(in.Number());
  message.text = in.Text();
  const bool known = (kind >= static_cast<std::uint8_t>(MessageKind::kFailed) &&
                      kind <= static_cast<std::uint8_t>(MessageKind::kExited)) ||
                     (kind >= static_cast<std::uint8_t>(MessageKind::kBuild) &&
                      kind <= static_cast<std::uint8_t>(MessageKind::kContinue));
  if (!in.AtEnd() || !known || phase > static_cast<std::uint8_t>(Phase::kInit)) return std::nullopt;
  message.kind = static_cast<MessageKind>(kind);
  message.phase = static_cast<Phase>(phase);
  return message;
}

}  // namespace asb
