#include "engine/order.h"

#include "wire/bytes.h"

namespace asb {
namespace {

/// False when the text is no path of one spelling.
bool ReadPath(ByteReader& in, AbsolutePath& path) {
  const std::string text = in.Text();
  auto parsed = AbsolutePath::Parse(text);
  if (!parsed || parsed->text() != text) return false;
  path = std::move(*parsed);
  return true;
}

}  // namespace

std::string EncodeOrder(const Plan& plan) {
  ByteWriter out;
  out.Text(plan.engine_path);
  out.Text(plan.user_home.text());
  out.Number(static_cast<std::uint32_t>(plan.mounts.size()));
  for (const MountStep& step : plan.mounts) {
    out.Byte(static_cast<std::uint8_t>(step.kind));
    out.Text(step.target.text());
    out.Text(step.source.text());
    out.Text(step.link_target);
    out.Text(step.content);
  }
  return out.Take();
}

std::optional<Order> DecodeOrder(std::string_view bytes) {
  ByteReader in(bytes);
  Order order;
  order.engine_path = in.Text();
  if (!ReadPath(in, order.user_home)) return std::nullopt;
  for (std::uint32_t left = in.Number(); left > 0; --left) {
    MountStep& step = order.mounts.emplace_back();
    const std::uint8_t kind = in.Byte();
    if (kind > static_cast<std::uint8_t>(kLastMountKind)) return std::nullopt;
    step.kind = static_cast<MountKind>(kind);
    if (!ReadPath(in, step.target) || !ReadPath(in, step.source)) return std::nullopt;
    step.link_target = in.Text();
    step.content = in.Text();
  }
  if (!in.AtEnd()) return std::nullopt;
  return order;
}

}  // namespace asb
