#include "session/console.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "base/text.h"
#include "sys/error.h"
#include "sys/process.h"
#include "sys/signals.h"
#include "sys/terminal.h"

namespace asb {
namespace {

constexpr int kTerminalTime = 2000;        // ms for a terminal that takes nothing
constexpr std::int64_t kAnswerTime = 200;  // ms for the terminal to answer what was asked
constexpr std::int64_t kBusyTime = 500;    // ms for the terminal to take what was read
// ^D as a terminal's line takes it: the first may only end what was begun of a line.
constexpr std::string_view kEndOfInput = "\004\004";

/// Without questions: as long as the keyboard is not the command's, a shell would get the answers.
void FeedUnasked(VtFilter& filter, std::string_view in, std::string& out) {
  for (const char& c : in) {
    const std::size_t before = out.size();
    const int asked = filter.open_questions();
    filter.Feed(std::string_view(&c, 1), out);
    if (filter.open_questions() > asked) out.resize(before);  // a sequence passes as a whole
  }
}

/// As the C library reads it: the first of the three that says something.
bool LocaleIsUtf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = VariableValue(name);
    if (!value || value->empty()) continue;
    const std::string lower = LowerCase(*value);
    return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
  }
  return false;
}

/// Until all is written, a signal ends it, or nothing has moved for `patience` (-1: for ever).
void Empty(const std::vector<Relay*>& relays, int signals, int patience) {
  for (Relay* relay : relays) relay->ExpectNoMore();
  for (;;) {
    std::vector<Watched> watched{{signals, true, false, false}};
    bool left = false;
    bool could_read = false;
    for (Relay* relay : relays) {
      relay->Watch(watched);
      left = left || !relay->IsOver();
      could_read = could_read || relay->CouldRead();
    }
    if (!left) return;
    if (!WaitForAny(watched, could_read ? 0 : patience) && !could_read) return;
    if (watched[0].read) {
      const int signal = TakeSignal(signals);
      if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT) return;
    }
    for (Relay* relay : relays) relay->Step(watched);
  }
}

}  // namespace

Result<void> Console::Open(Tty wanted, Run& run, std::vector<Fd>& handed_in) {
  auto ways = ChooseWays(wanted, {KindOf(0), KindOf(1), KindOf(2)});
  if (!ways) return tl::make_unexpected(ways.error());
  streams_ = *ways;
  KeepOneTerminal(streams_);
  ChooseFilter();
  for (int i = 0; i < 3; ++i) {
    if (streams_[static_cast<std::size_t>(i)].way == StreamWay::kTerminal) {
      run.terminal = run.on_terminal[static_cast<std::size_t>(i)] = true;
    } else if (auto opened = OpenPipe(i, handed_in); !opened) {
      return opened;
    }
  }
  if (!run.terminal) return {};
  if (auto opened = OpenTerminal(); !opened) return opened;
  // Half of a pipeline leaves the keyboard to the other half until it asks for it.
  wants_keyboard_ =
      streams_[0].way == StreamWay::kTerminal && streams_[1].way == StreamWay::kTerminal;
  run.foreground = wants_keyboard_ && (!KeyboardIsTerminal() || InForeground(terminal_->fd()));
  return {};
}

/// Where bytes are not UTF-8, a letter of two bytes may hold what such a terminal obeys.
void Console::ChooseFilter() {
  bool is_utf8 = LocaleIsUtf8();
  for (int i = 0; i < 3; ++i) {
    const bool terminal = streams_[static_cast<std::size_t>(i)].kind == DescriptorKind::kTerminal;
    is_utf8 = is_utf8 || (terminal && SaysUtf8(i));
  }
  if (!is_utf8) filter_ = VtFilter(TerminalText::kAscii);
}

/// The stream as it is, or a pipe that stands for it with a relay behind.
Result<void> Console::OpenPipe(int stream, std::vector<Fd>& handed_in) {
  const auto [kind, way] = streams_[static_cast<std::size_t>(stream)];
  auto own = Duplicate(stream);
  if (!own) return During("duplicating a stream", own.error());
  if (way == StreamWay::kAsIs) {
    handed_in.push_back(std::move(*own));
    return {};
  }
  auto pipe = MakePipe();
  if (!pipe) return During("making a pipe", pipe.error());
  const bool input = stream == 0;
  Fd& ours = input ? pipe->second : pipe->first;
  NeverWait(ours.get());
  handed_in.push_back(std::move(input ? pipe->first : pipe->second));
  if (input) {
    relays_.push_back(
        std::make_unique<Relay>(std::move(*own), kind, std::move(ours), DescriptorKind::kPipe));
    return {};
  }
  Relay::Change change;
  if (kind == DescriptorKind::kTerminal) {
    change = [this](std::string_view in, std::string& out) { FeedUnasked(filter_, in, out); };
  }
  relays_.push_back(std::make_unique<Relay>(std::move(ours), DescriptorKind::kPipe, std::move(*own),
                                            kind, change));
  return {};
}

Result<void> Console::OpenTerminal() {
  for (int i = 0; i < 3; ++i) {
    if (streams_[static_cast<std::size_t>(i)].kind != DescriptorKind::kTerminal) continue;
    auto terminal = HostTerminal::Open(i);
    if (!terminal) return tl::make_unexpected(terminal.error());
    terminal_ = std::make_unique<HostTerminal>(std::move(*terminal));
    break;
  }
  return {};
}

void Console::Watch(std::vector<Watched>& watched) {
  for (const auto& relay : relays_) relay->Watch(watched);
  if (screen_) screen_->Watch(watched);
  if (keyboard_) keyboard_->Watch(watched);
}

void Console::Step(const std::vector<Watched>& watched) {
  for (const auto& relay : relays_) relay->Step(watched);
  if (screen_) screen_->Step(watched);
  if (keyboard_) keyboard_->Step(watched);
}

/// What the sandbox's terminal shows to and is typed by: the person's, or with --tty a stream that
/// was redirected.
Console::Behind Console::BehindTerminal(int stream) const {
  const Stream& own = streams_[static_cast<std::size_t>(stream)];
  const bool redirected = own.way == StreamWay::kTerminal && own.kind != DescriptorKind::kTerminal;
  if (!terminal_ || redirected) return {stream, own.kind};
  return {terminal_->fd(), DescriptorKind::kTerminal};
}

bool Console::KeyboardIsTerminal() const {
  return terminal_ && BehindTerminal(0).kind == DescriptorKind::kTerminal;
}

bool Console::IsLost() const {
  const bool no_keys = keyboard_ && KeyboardIsTerminal() && keyboard_->HasEnded();
  return no_keys || (screen_ && screen_->IsOver());
}

bool Console::TerminalIsGone() const {
  std::vector<Watched> watched;
  for (int i = 0; i < 3; ++i) {
    const bool terminal = streams_[static_cast<std::size_t>(i)].kind == DescriptorKind::kTerminal;
    if (terminal) watched.push_back({i, false, false, false});
  }
  WaitForAny(watched, 0);
  return std::any_of(watched.begin(), watched.end(), [](const Watched& one) { return one.gone; });
}

bool Console::Connect(Fd master) {
  master_ = std::move(master);
  NeverWait(master_.get());
  auto for_screen = Duplicate(master_.get());
  auto for_keyboard = Duplicate(master_.get());
  const Behind shown = BehindTerminal(1);
  const Behind typed = BehindTerminal(0);
  auto output = Duplicate(shown.fd);
  auto input = Duplicate(typed.fd);
  if (!for_screen || !for_keyboard || !output || !input) return false;
  Relay::Change show;
  Relay::Change type;
  if (terminal_) CopySize(terminal_->fd(), master_.get());
  if (terminal_ && InForeground(terminal_->fd())) {
    ApplySettings(master_.get(), terminal_->settings(), Pending::kKeep);
  }
  if (shown.kind == DescriptorKind::kTerminal) {
    show = [this](std::string_view in, std::string& out) { Show(in, out); };
  }
  if (typed.kind == DescriptorKind::kTerminal) {
    type = [this](std::string_view in, std::string& out) {
      filter_.NoteInput(in);
      out += in;
    };
  }
  screen_ = std::make_unique<Relay>(std::move(*for_screen), DescriptorKind::kTerminal,
                                    std::move(*output), shown.kind, show);
  keyboard_ = std::make_unique<Relay>(std::move(*input), typed.kind, std::move(*for_keyboard),
                                      DescriptorKind::kTerminal, type);
  keyboard_->Pause(KeyboardIsTerminal());
  if (!KeyboardIsTerminal()) keyboard_->WriteAtEnd(kEndOfInput);
  if (wants_keyboard_) UseKeyboard();
  return true;
}

void Console::Show(std::string_view in, std::string& out) {
  if (terminal_->IsRaw()) {
    filter_.Feed(in, out);
  } else {
    FeedUnasked(filter_, in, out);
  }
  terminal_->NoteModes(filter_.modes());
}

void Console::CommandIsReady() {
  command_is_ready_ = true;
  if (wants_keyboard_) UseKeyboard();
}

/// Every key to the command, when the person's terminal can be had.
void Console::UseKeyboard() {
  wants_keyboard_ = true;
  if (!KeyboardIsTerminal() || !keyboard_) return;
  const bool raw = terminal_->MakeRaw();
  if (raw && !is_set_up_) {  // in the background it may have been a shell's for editing its line
    ApplySettings(master_.get(), terminal_->settings(), Pending::kKeep);
    is_set_up_ = true;
  }
  // Before the command is in front inside, an interrupt would reach nobody.
  keyboard_->Pause(!raw || !command_is_ready_);
}

bool Console::TakeKeyboard() {
  if (!terminal_ || terminal_->IsRaw()) return false;
  UseKeyboard();
  return terminal_->IsRaw();
}

bool Console::Resize() {
  if (!terminal_ || !master_.IsOpen()) return false;
  CopySize(terminal_->fd(), master_.get());
  return !terminal_->IsRaw();  // not in front inside, so the kernel does not tell the command
}

void Console::Release() {
  // What is left may be the rest of a sequence: nothing may come between.
  if (screen_) screen_->Finish(kBusyTime);
  PutTerminalBack();
  if (keyboard_) keyboard_->Pause(KeyboardIsTerminal());
}

void Console::Resume() {
  if (!terminal_ || !master_.IsOpen()) return;
  CopySize(terminal_->fd(), master_.get());
  if (wants_keyboard_) UseKeyboard();
}

/// Whoever else holds an end of the command's streams is not waited for.
int Console::Drain(int signals) {
  keyboard_.reset();
  if (screen_) Empty({screen_.get()}, signals, kTerminalTime);
  int error = screen_ ? screen_->write_error() : 0;
  if (terminal_ != nullptr) error = 0;  // a terminal that is gone is no lost output
  screen_.reset();
  LeaveTerminal();  // from here on an interrupt is a signal again
  std::vector<Relay*> piped;
  for (const auto& relay : relays_) piped.push_back(relay.get());
  Empty(piped, signals, -1);
  for (const Relay* relay : piped) {
    if (relay->write_error() != 0) error = relay->write_error();
  }
  return error;
}

/// Answers that are still on their way would be typed into the shell.
void Console::PutTerminalBack() {
  if (!terminal_) return;
  const bool asked = filter_.open_questions() > 0;
  const std::int64_t until = Milliseconds() + kAnswerTime;
  while (terminal_->IsRaw() && filter_.open_questions() > 0 && Milliseconds() < until) {
    std::vector<Watched> watched{{terminal_->fd(), true, false, false}};
    WaitForAny(watched, static_cast<int>(until - Milliseconds()));
    std::array<char, 1024> piece{};
    if (!watched[0].read) continue;
    const Moved moved =
        ReadSome(terminal_->fd(), piece.data(), piece.size(), DescriptorKind::kTerminal);
    if (moved.ended) break;
    filter_.NoteInput(std::string_view(piece.data(), moved.bytes));
  }
  terminal_->PutBack(asked ? Pending::kDiscard : Pending::kKeep);
}

void Console::LeaveTerminal() {
  for (int i = 1; i < 3 && !terminal_; ++i) {
    const bool shown = streams_[static_cast<std::size_t>(i)].kind == DescriptorKind::kTerminal;
    if (shown) return ResetModes(i, filter_.modes());
  }
  PutTerminalBack();
  terminal_.reset();
}

}  // namespace asb
