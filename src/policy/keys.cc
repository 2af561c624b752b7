#include "policy/keys.h"

#include <algorithm>
#include <array>
#include <vector>

namespace asb {
namespace {

using std::string_view;

constexpr std::array<string_view, 2> kViews{"whitelist", "blacklist"};
constexpr std::array<string_view, 4> kHomes{"private", "kept", "read", "write"};
constexpr std::array<string_view, 3> kNetworks{"none", "loopback", "open"};
constexpr std::array<string_view, 2> kEngines{"auto", "bubblewrap"};

constexpr std::array<KeySpec, kKeyCount> kKeys{{
    {Key::kView, "view", KeyType::kChoice, MergeRule::kReplace, "whitelist", kViews, "VIEW", "", 0,
     "what is seen of the file system",
     "whitelist: only system software, a subset of /etc, the workspace and what is granted exist; "
     "everything else is absent. blacklist: the host's files are visible read-only and the listed "
     "sensitive paths are hidden; meant for debugging a system, it shows every other readable "
     "file."},
    {Key::kHome, "home", KeyType::kChoice, MergeRule::kReplace, "private", kHomes, "MODE", "", 0,
     "the home folder: an empty one, one that is kept, or the real one",
     "private: an empty home that is gone after the run. kept: one of the sandbox's own that is "
     "there again in the next run of the same workspace with the same reach; a policy that reaches "
     "anything else starts with an empty one. read: the real home, read-only. write: the real "
     "home, "
     "writable. Credential paths stay hidden in every mode unless a rule names them."},
    {Key::kWorkspace,
     "workspace",
     KeyType::kPath,
     MergeRule::kReplace,
     "the current directory",
     {},
     "DIR",
     "",
     'w',
     "the folder to work in, read-write",
     "The one folder that is writable without being granted. It may not be the home folder, a "
     "parent of it, or a folder of credentials."},
    {Key::kReadOnly,
     "read-only",
     KeyType::kSwitch,
     MergeRule::kReplace,
     "false",
     {},
     "",
     "",
     0,
     "show the workspace read-only",
     "For inspection: the command can read the workspace and change nothing in it."},
    {Key::kRo,
     "ro",
     KeyType::kPathList,
     MergeRule::kAppend,
     "",
     {},
     "PATH",
     "",
     0,
     "show PATH read-only",
     "The most specific rule about a path decides, whatever the order. A grant never undoes a hide "
     "below it."},
    {Key::kRw,
     "rw",
     KeyType::kPathList,
     MergeRule::kAppend,
     "",
     {},
     "PATH",
     "",
     0,
     "show PATH read-write",
     "As ro, and writable."},
    {Key::kHide,
     "hide",
     KeyType::kPathList,
     MergeRule::kAppend,
     "",
     {},
     "PATH",
     "",
     0,
     "hide PATH and everything below it",
     "Reads of a hidden path fail; they never return empty data. Only a rule about the same path "
     "in "
     "a higher layer, or about a path below it, shows anything of it."},
    {Key::kBind,
     "bind",
     KeyType::kBindList,
     MergeRule::kAppend,
     "",
     {},
     "SOURCE:TARGET[:MODE]",
     "",
     0,
     "show SOURCE at another place; MODE is ro or rw",
     "In a file: bind = [{source = \"/data/set1\", target = \"/data/current\", mode = \"ro\"}]. "
     "mode is ro when absent. What is hidden or read-only below the source is so below the target "
     "too."},
    {Key::kNetwork, "network", KeyType::kChoice, MergeRule::kReplace, "none", kNetworks, "MODE", "",
     0, "which network the command has",
     "none: no interface that is up. loopback: an own 127.0.0.1 that reaches nothing outside. "
     "open: "
     "the host's network, unfiltered, with its loopback and its abstract sockets."},
    {Key::kEnv,
     "env",
     KeyType::kEnvList,
     MergeRule::kAppend,
     "",
     {},
     "NAME[=VALUE]",
     "",
     0,
     "pass a variable, or set it; NAME may end in *",
     "The environment starts empty: locale, TERM, PATH, HOME and USER pass, everything else is "
     "named here. A pattern never passes variables that load code or lead to an agent socket "
     "(LD_PRELOAD, SSH_AUTH_SOCK, …): those pass only by their full name."},
    {Key::kCommand,
     "command",
     KeyType::kWordList,
     MergeRule::kReplace,
     "",
     {},
     "WORD…",
     "-",
     0,
     "the program to run and its first arguments",
     "On the command line: the words behind the options."},
    {Key::kArgs,
     "args",
     KeyType::kWordList,
     MergeRule::kReplace,
     "",
     {},
     "WORD…",
     "-",
     0,
     "arguments appended to command",
     "The program gets command, then args, then the words behind '--' of 'run'."},
    {Key::kTty,
     "tty",
     KeyType::kSwitch,
     MergeRule::kReplace,
     "auto",
     {},
     "",
     "",
     0,
     "give the command a terminal, or none",
     "auto: a terminal of its own in place of each standard stream that is one. true: in place of "
     "all three. false: none; the command sees pipes."},
    {Key::kEngine, "engine", KeyType::kChoice, MergeRule::kReplace, "auto", kEngines, "ENGINE", "",
     0, "what builds the walls",
     "auto: the first engine of this host that keeps everything the policy requires. A named "
     "engine "
     "is used or the run is refused."},
    {Key::kRequire,
     "require",
     KeyType::kGapList,
     MergeRule::kAppend,
     "",
     {},
     "GAP",
     "",
     0,
     "refuse to run unless GAP is closed",
     "A gap is something that the engine and the host cannot enforce; 'agent-sandbox plan' lists "
     "those of a run."},
    {Key::kAcceptGaps,
     "accept-gaps",
     KeyType::kGapList,
     MergeRule::kAppend,
     "",
     {},
     "GAP",
     "--accept-gap",
     0,
     "run although GAP is open",
     "A gap that no layer accepts refuses the run. The builtin layer accepts the ones marked so in "
     "the list of gaps."},
}};

constexpr std::array<Spelling, 3> kSpellings{{
    {"whitelist", Key::kView, "whitelist", "", "view = \"whitelist\""},
    {"blacklist", Key::kView, "blacklist", "", "view = \"blacklist\""},
    {"unshare-net", Key::kNetwork, "none", "open", "network = \"none\"; false: \"open\""},
}};

constexpr bool RowsAreInOrder() {
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (static_cast<std::size_t>(kKeys[i].key) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

}  // namespace

std::span<const KeySpec> AllKeys() { return kKeys; }
std::span<const Spelling> AllSpellings() { return kSpellings; }
const KeySpec& SpecOf(Key key) { return kKeys[static_cast<std::size_t>(key)]; }

const KeySpec* FindKey(string_view name) {
  const auto* found =
      std::find_if(kKeys.begin(), kKeys.end(), [name](const KeySpec& k) { return k.name == name; });
  return found == kKeys.end() ? nullptr : found;
}

const Spelling* FindSpelling(string_view name) {
  const auto* found = std::find_if(kSpellings.begin(), kSpellings.end(),
                                   [name](const Spelling& s) { return s.name == name; });
  return found == kSpellings.end() ? nullptr : found;
}

std::span<const string_view> SettingNames() {
  static constexpr auto kNames = [] {
    std::array<string_view, kKeys.size() + kSpellings.size()> names;
    std::size_t at = 0;
    for (const KeySpec& key : kKeys) names[at++] = key.name;
    for (const Spelling& spelling : kSpellings) names[at++] = spelling.name;
    return names;
  }();
  return kNames;
}

string_view DescribeMerge(MergeRule rule) {
  return rule == MergeRule::kReplace ? "replaced by a higher layer" : "joined across layers";
}

bool IsList(KeyType type) {
  switch (type) {
    case KeyType::kChoice:
    case KeyType::kSwitch:
    case KeyType::kPath:
      return false;
    case KeyType::kPathList:
    case KeyType::kBindList:
    case KeyType::kEnvList:
    case KeyType::kWordList:
    case KeyType::kGapList:
      return true;
  }
  return false;
}

}  // namespace asb
