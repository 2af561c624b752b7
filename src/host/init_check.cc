#include "host/init_check.h"

#include <cerrno>
#include <optional>

#include "plan/causes.h"
#include "sys/child.h"
#include "sys/descriptors.h"
#include "sys/signals.h"
#include "sys/socket.h"
#include "wire/message.h"
#include "wire/run.h"

namespace asb {
namespace {

constexpr int kMostTime = 1000;                 // ms
constexpr const char* kNoFolder = "/dev/null";  // entering it fails everywhere

tl::unexpected<Error> Refused(CauseId id, std::string detail) {
  return tl::make_unexpected(NotBuilt("asking agent-sandbox-init", {id, std::move(detail)}));
}

[[noreturn]] void BecomeInit(const std::string& path, int null, int control) {
  if (!KeepOnly({null, null, null, control})) EndNow(1);
  ResetSignals();
  (void)Execute(path, {"agent-sandbox-init"}, {});
  EndNow(1);
}

std::optional<Message> NextMessage(int control) {
  std::vector<Watched> watched{{control, true, false, false}};
  if (!WaitForAny(watched, kMostTime)) return std::nullopt;
  auto packet = ReceivePacket(control, kMostMessage, 1);
  if (!packet || !*packet) return std::nullopt;
  return DecodeMessage((*packet)->bytes);
}

}  // namespace

Result<void> AskInit(const std::string& path, const std::string& version) {
  // A launch hands it over as a descriptor.
  if (const auto opened = OpenForReading(path); !opened) {
    return Refused(CauseId::kInitMissing, path + ": " + opened.error().what);
  }
  auto null = OpenNull();
  if (!null) return Refused(CauseId::kNoDevices, "/dev/null: " + null.error().what);
  Run run;
  run.version = version;
  run.argv = {kNoFolder};
  run.folder = kNoFolder;
  auto memory = SealedMemory("run", Encode(run));
  if (!memory) return Refused(CauseId::kUnknown, memory.error().what);
  auto sockets = PacketPair();
  if (!sockets) return Refused(CauseId::kUnknown, sockets.error().what);
  const pid_t parent = MyPid();
  auto child = Child::Fork();
  if (!child) return Refused(CauseId::kUnknown, child.error().what);
  if (child->IsChild()) {
    if (!DieWithParent(parent)) EndNow(1);
    BecomeInit(path, null->get(), sockets->second.get());
  }
  sockets->second = Fd();
  const int control = sockets->first.get();
  const int handed = memory->get();
  (void)SendPacket(control, Encode(Message{MessageKind::kStart, 0, Phase::kNone, ""}),
                   std::span(&handed, 1));
  (void)SendPacket(control, Encode(Message{MessageKind::kGo, 0, Phase::kNone, ""}));
  const std::optional<Message> answer = NextMessage(control);
  child->Kill();
  child->Wait();
  if (!answer || answer->kind != MessageKind::kFailed) return Refused(CauseId::kInitBroken, path);
  if (answer->number == EPROTO) return Refused(CauseId::kInitMismatch, answer->text);
  return {};
}

}  // namespace asb
