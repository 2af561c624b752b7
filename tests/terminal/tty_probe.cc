// Attacks on a terminal by named attempts (TT-01 to TT-05), for tests/terminal/walls_test.py: makes
// each of them on 0, 1, 2 and /dev/tty, and says how the kernel answered. What became of the
// terminal is for the test to see, from outside.
// Usage: tty_probe RESULTS; writes "ATTEMPT TARGET ANSWER" lines to RESULTS, then waits until the
// file "go" is there. What it types makes a shell that reads it create the file
// RESULTS.canary.ATTEMPT.
#include <fcntl.h>
#include <linux/kd.h>
#include <linux/tiocl.h>
#include <linux/vt.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace {

constexpr unsigned long kHighBits = 0xdead00000000UL;  // a 64-bit compare in a filter misses these

FILE* results = nullptr;
char text[128] = "";  // to be typed
pid_t in_front = -1;

/// Several system calls in one attempt: the last one decides.
struct Attempt {
  const char* name;
  long (*make)(int fd);
};

long TypeWith(int fd, unsigned long request, long call) {
  for (const char* c = text; *c != '\0'; ++c) {
    if (syscall(call, fd, request, c) != 0) return -1;
  }
  return 0;
}

long Type(int fd) { return TypeWith(fd, TIOCSTI, SYS_ioctl); }
long TypeHighBits(int fd) { return TypeWith(fd, kHighBits | TIOCSTI, SYS_ioctl); }

#ifdef __x86_64__
long TypeX32(int fd) { return TypeWith(fd, TIOCSTI, 0x40000000 + 514); }

long TypeInt80(int fd) {
  void* low =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (low == MAP_FAILED) return -1;
  for (const char* c = text; *c != '\0'; ++c) {
    *static_cast<char*>(low) = *c;
    long answer = 54;  // ioctl of the 32-bit table
    asm volatile("int $0x80"
                 : "+a"(answer)
                 : "b"(static_cast<long>(fd)), "c"(static_cast<long>(TIOCSTI)), "d"(low)
                 : "memory");
    const int error = static_cast<int>(-static_cast<std::int32_t>(answer));
    if (error > 0) {
      errno = error;
      return -1;
    }
  }
  return 0;
}
#endif

template <int kSubcode>
long Linux(int fd) {
  char argument[16] = {kSubcode};
  return ioctl(fd, TIOCLINUX, argument);
}
long Console(int fd) { return ioctl(fd, TIOCCONS); }
long Discipline(int fd) {
  const int slip = 1;
  return ioctl(fd, TIOCSETD, &slip);
}
long KeyboardEntry(int fd) {
  kbentry entry{};
  return ioctl(fd, KDSKBENT, &entry);
}
long Leds(int fd) { return ioctl(fd, KDSETLED, 7); }
long Activate(int fd) { return ioctl(fd, VT_ACTIVATE, 1); }
long Steal(int fd) { return ioctl(fd, TIOCSCTTY, 1); }

long Settings(int fd) {
  termios settings{};
  if (tcgetattr(fd, &settings) != 0) return -1;
  settings.c_cc[VINTR] = 'Q';
  settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  return tcsetattr(fd, TCSANOW, &settings);
}
long Size(int fd) {
  const winsize size{7, 77, 0, 0};
  return ioctl(fd, TIOCSWINSZ, &size);
}
long Flags(int fd) { return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK | O_ASYNC); }
/// A child of a group of its own in front, which stays.
long Front(int fd) {
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  setpgid(child, child);
  if (in_front > 0) kill(in_front, SIGKILL);
  in_front = child;
  return tcsetpgrp(fd, child);
}

constexpr Attempt kAttempts[] = {
    {"type", Type},
    {"type-high-bits", TypeHighBits},
#ifdef __x86_64__
    {"type-x32", TypeX32},
    {"type-int80", TypeInt80},
#endif
    {"selection", Linux<TIOCL_SETSEL>},
    {"paste", Linux<TIOCL_PASTESEL>},
    {"set-vesa-blank", Linux<TIOCL_SETVESABLANK>},
    {"set-kernel-messages", Linux<TIOCL_SETKMSGREDIRECT>},
    {"get-front-console", Linux<TIOCL_GETFGCONSOLE>},
    {"console", Console},
    {"discipline", Discipline},
    {"keyboard-entry", KeyboardEntry},
    {"leds", Leds},
    {"activate", Activate},
    {"steal", Steal},
    {"settings", Settings},
    {"size", Size},
    {"flags", Flags},
    {"front", Front},
};

void Say(const char* attempt, const char* target, const char* answer) {
  fprintf(results, "%s %s %s\n", attempt, target, answer);
}

/// Attempts that a filter may answer with a signal are made in a child.
void Make(const Attempt& attempt, const char* target, int fd) {
  if (strncmp(attempt.name, "type-", 5) == 0) {
    const pid_t child = fork();
    if (child == 0) _exit(attempt.make(fd) == 0 ? 0 : errno);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return Say(attempt.name, target, sigabbrev_np(WTERMSIG(status)));
    const int code = WEXITSTATUS(status);
    return Say(attempt.name, target, code == 0 ? "done" : strerrorname_np(code));
  }
  const bool done = attempt.make(fd) == 0;
  Say(attempt.name, target, done ? "done" : strerrorname_np(errno));
}

/// What lies behind a name: the file system and the file, which no two terminals share.
void Identify(const char* attempt, const char* target, int fd) {
  struct stat status{};
  if (fd < 0 || fstat(fd, &status) != 0) return Say(attempt, target, strerrorname_np(errno));
  char answer[64];
  snprintf(answer, sizeof answer, "%u:%u:%lu", major(status.st_dev), minor(status.st_dev),
           static_cast<unsigned long>(status.st_ino));
  Say(attempt, target, answer);
}

void OpenEverything() {
  char name[64];
  for (int i = 0; i < 64; ++i) {
    snprintf(name, sizeof name, "/dev/pts/%d", i);
    Identify("open", name, open(name, O_RDWR | O_NOCTTY | O_NONBLOCK));
  }
  Identify("open", "/proc/self/fd/0", open("/proc/self/fd/0", O_RDWR | O_NOCTTY | O_NONBLOCK));
  for (int pid = 1; pid < 64; ++pid) {
    for (int fd = 0; fd < 16; ++fd) {
      snprintf(name, sizeof name, "/proc/%d/fd/%d", pid, fd);
      Identify("open", name, open(name, O_RDWR | O_NOCTTY | O_NONBLOCK));
    }
  }
  for (const char* other : {"/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ttyS0", "/dev/vcs1"}) {
    Identify("open", other, open(other, O_RDWR | O_NOCTTY | O_NONBLOCK));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  results = fopen(argv[1], "w");
  if (results == nullptr) return 2;
  signal(SIGTTOU, SIG_IGN);
  signal(SIGIO, SIG_IGN);
  const int own = open("/dev/tty", O_RDWR | O_NOCTTY);
  Identify("is", "0", 0);
  Say("is", "name", ttyname(0) != nullptr ? ttyname(0) : "none");
  OpenEverything();
  for (const Attempt& attempt : kAttempts) {
    snprintf(text, sizeof text, "touch %s.canary.%s\n", argv[1], attempt.name);
    Make(attempt, "0", 0);
    Make(attempt, "1", 1);
    Make(attempt, "2", 2);
    Make(attempt, "/dev/tty", own);
  }
  Say("end", "-", "-");
  fclose(results);
  while (access("go", F_OK) != 0) usleep(10'000);
  kill(in_front, SIGKILL);
  return 0;
}
