#include "inner/enter.h"

#include <string>
#include <vector>

#include "base/sha256.h"
#include "sys/child.h"
#include "sys/descriptors.h"
#include "sys/files.h"

namespace asb {
namespace {

constexpr std::size_t kLargestPolicy = std::size_t{1} << 20U;
constexpr int kRefused = 125;
constexpr const char* kPolicyFd = "3";

int Refuse(const std::string& what, const std::string& fix) {
  (void)WriteAll(2, "agent-sandbox-init: walls not built: " + what + "\n  fix: " + fix + "\n");
  return kRefused;
}

}  // namespace

int Enter(int argc, char** argv) {
  if (argc < 4) {
    return Refuse("enter needs a descriptor and a digest",
                  "agent-sandbox-init enter FD DIGEST [CMD…]");
  }
  const auto policy = ReadDescriptor(argv[2], kLargestPolicy);
  if (!policy) {
    return Refuse("reading the policy: " + policy.error().what, "hand it over as descriptor FD");
  }
  const std::string digest = argv[3];
  if (Sha256Hex(*policy) != digest) {
    return Refuse(
        "the policy is not the one that was promised: its digest is " + Sha256Hex(*policy),
        "send the policy and its digest again");
  }
  const auto self = ReadLink("/proc/self/exe");
  if (!self) return Refuse("reading /proc/self/exe: " + self.error().what, "mount /proc");
  // As installed, or as built; never whichever is there.
  const std::string folder = self->substr(0, self->rfind('/'));
  constexpr std::string_view kInstalled = "/libexec/agent-sandbox";
  const bool installed = folder.ends_with(kInstalled);
  const std::string program =
      installed ? folder.substr(0, folder.size() - kInstalled.size()) + "/bin/agent-sandbox"
                : folder + "/agent-sandbox";
  // These bytes, and not what a second look at the descriptor might find.
  const auto memory = SealedMemory("policy", *policy);
  if (!memory) return Refuse("keeping the policy: " + memory.error().what, "free some memory");
  std::vector<std::string> words{"agent-sandbox",   "run",  "--policy-fd", kPolicyFd,
                                 "--policy-digest", digest, "--"};
  for (int i = 4; i < argc; ++i) words.emplace_back(argv[i]);
  if (const auto kept = KeepOnly({0, 1, 2, memory->get()}); !kept) {
    return Refuse("handing over descriptors: " + kept.error().what, "raise the limit: ulimit -n");
  }
  const Error error = Execute(program, words, {"PATH=/usr/local/bin:/usr/bin:/bin"});
  return Refuse("executing " + program + ": " + error.what, "install agent-sandbox again");
}

}  // namespace asb
