// plan: everything that would be asked of the kernel, and nothing of it done.
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "engine/bwrap_args.h"
#include "plan/facts_json.h"
#include "plan/print.h"
#include "policy/print.h"

namespace asb {
namespace {

/// What --policy-fd takes: every setting, the workspace and the command included.
int PrintCompletePolicy(const Prepared& prepared) {
  Layer complete = prepared.merged;
  const auto set = [&complete](Key key, const std::vector<std::string>& words) {
    Setting setting;
    for (const std::string& word : words) setting.items.push_back({word, "", "", {}});
    complete.At(key) = std::move(setting);
  };
  set(Key::kWorkspace, {prepared.plan.workspace.text()});
  if (!prepared.command.empty()) set(Key::kCommand, prepared.command);
  complete.At(Key::kArgs).reset();
  for (const std::optional<Setting>& setting : complete.settings) {
    if (!setting) continue;
    for (const Item& item : setting->items) {
      if (IsUtf8(item.text) && IsUtf8(item.target)) continue;
      return Report(Error{ErrorKind::kPolicy, 0,
                          fmt::format("'{}' cannot be written into a policy: it is not UTF-8",
                                      Printable(item.text)),
                          "rename it, or leave it out"});
    }
  }
  PrintOut(PrintLayer(complete));
  return kExitOk;
}

}  // namespace

int PlanCommand(const Invocation& invocation) {
  // Kept until the process ends, which is next: taking a plan of ten thousand rules apart again
  // costs a tenth of making it.
  static const auto* const kKept = new Outcome<Prepared>(Prepare(invocation));
  const Outcome<Prepared>& prepared = *kKept;
  if (!prepared) return Report(prepared.error());
  if (invocation.print_facts) {
    PrintOut(FactsToJson(prepared->facts));
  } else if (invocation.print_policy) {
    return PrintCompletePolicy(*prepared);
  } else if (invocation.json) {
    PrintOut(PlanToJson(prepared->plan));
  } else if (invocation.argv) {
    PrintOut(BwrapShellLine(prepared->plan));
  } else {
    PrintOut(PlanToText(prepared->plan));
  }
  return kExitOk;
}

}  // namespace asb
