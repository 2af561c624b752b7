#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "plan/print.h"
#include "plan/rules.h"

namespace asb {
namespace {

using std::string_view;

std::string Reason(const Why& why) {
  return Printable(why.text) + " (" + DescribeOrigin(why.origin) + ")";
}

std::string Command(const Plan& plan) {
  if (plan.command.empty()) return "none given";
  std::string out;
  for (const std::string& word : plan.command) {
    if (!out.empty()) out += ' ';
    out += ShellQuote(word);
  }
  return out;
}

string_view StepWord(MountKind kind) {
  const bool hidden = kind == MountKind::kHiddenFile || kind == MountKind::kHiddenFolder;
  return hidden ? "hidden" : WordFor(kind);
}

/// A path and, where it shows something else, what.
std::string StepPath(const MountStep& step, const AbsolutePath& home) {
  std::string target = ShortPath(step.target, home);
  if (step.kind == MountKind::kLink) {
    return fmt::format("{} -> {}", target, Printable(step.link_target));
  }
  if (HasSource(step.kind) && step.source != step.target) {
    return fmt::format("{} from {}", target, ShortPath(step.source, home));
  }
  return target;
}

/// Rows of two columns and a reason, the second column as wide as it needs to be, within bounds.
class Rows {
 public:
  void Add(string_view word, std::string what, std::string reason) {
    rows_.push_back({word, std::move(what), std::move(reason)});
  }
  [[nodiscard]] std::string Print() const {
    constexpr std::size_t kWidest = 44;
    std::size_t width = 0;
    for (const Row& row : rows_) {
      if (row.what.size() <= kWidest) width = std::max(width, row.what.size());
    }
    std::string out;
    const auto column = [&out](string_view text, std::size_t least) {
      out += text;
      if (text.size() < least) out.append(least - text.size(), ' ');
    };
    out.reserve(rows_.size() * 100);
    for (const Row& row : rows_) {
      out += "  ";
      column(row.word, 9);
      column(row.what, width);
      out.append("  ").append(row.reason).append("\n");
    }
    return out;
  }

 private:
  struct Row {
    string_view word;
    std::string what, reason;
  };
  std::vector<Row> rows_;
};

std::string PrintMounts(const Plan& plan) {
  Rows rows;
  for (const MountStep& step : plan.mounts) {
    rows.Add(StepWord(step.kind), StepPath(step, plan.user_home), Reason(step.why));
  }
  const ViewEntry& root = plan.entries.front();
  std::string out = fmt::format("\nfiles: {}\n", Count(plan.mounts.size(), "step"));
  if (root.access == Access::kAbsent) {
    out += fmt::format("  {:<8} {}\n", "absent", "everything else: " + Reason(root.why));
  }
  return out + rows.Print();
}

std::string PrintEnvironment(const Plan& plan) {
  Rows rows;
  for (const EnvStep& step : plan.env) {
    rows.Add(step.value ? "set" : "pass", Printable(step.name), Reason(step.why));
  }
  return fmt::format("\nenvironment: {}, everything else is dropped\n{}",
                     Count(plan.env.size(), "variable"), rows.Print());
}

/// Builtin rows that this host has nothing for are counted; rules of the user are listed.
std::string PrintLeftOut(const Plan& plan) {
  Rows rows;
  std::size_t builtin = 0;
  for (const LeftOut& item : plan.left_out) {
    if (item.origin.layer == LayerKind::kBuiltin) {
      ++builtin;
    } else {
      rows.Add("", Printable(item.what),
               fmt::format("{} ({})", item.reason, DescribeOrigin(item.origin)));
    }
  }
  if (plan.left_out.empty()) return {};
  std::string out = "\nwithout effect on this host\n" + rows.Print();
  if (builtin > 0) {
    out += fmt::format("  {} of the builtin lists that are not on this host (--json names them)\n",
                       Count(builtin, "path"));
  }
  return out;
}

std::string PrintAlerts(const Plan& plan) {
  if (plan.alerts.empty()) return {};
  Rows rows;
  for (const Alert& alert : plan.alerts) {
    rows.Add("grants", ShortPath(alert.path, plan.user_home), Reason({alert.what, alert.origin}));
  }
  return "\nmore than a file\n" + rows.Print();
}

std::string PrintGaps(const Plan& plan) {
  std::string out = fmt::format("\ngaps: {} not enforced by this engine on this host\n",
                                Count(plan.gaps.size(), "thing"));
  for (const Gap& gap : plan.gaps) {
    const GapSpec& spec = SpecOf(gap.id);
    out += fmt::format("  {:<14} {}{}\n", spec.name, spec.sentence,
                       gap.where.empty() ? "" : fmt::format(" Here: {}.", gap.where));
  }
  return out;
}

std::string PrintBlockers(const Plan& plan) {
  std::string out;
  for (const Blocker& blocker : plan.blockers) {
    out += fmt::format("\ncannot start on this host: {}\n  cause: {}\n  fix:   {}\n", blocker.what,
                       Printable(blocker.cause), blocker.fix);
  }
  return out;
}

}  // namespace

std::string PlanToText(const Plan& plan) {
  const auto line = [](string_view name, string_view value) {
    return fmt::format("{:<11}{}\n", name, value);
  };
  const auto choice = [](string_view word, const Origin& origin) {
    return fmt::format("{} ({})", word, DescribeOrigin(origin));
  };
  std::string out = line("command", Command(plan));
  out += line("workspace", ShortPath(plan.workspace, plan.user_home));
  out += line("engine", plan.engine);
  out += line("view", choice(WordFor(plan.view.value), plan.view.origin));
  out += line("home", choice(WordFor(plan.home.value), plan.home.origin));
  if (plan.kept) out += line("kept as", plan.kept->key);
  out += line("network", choice(WordFor(plan.network.value), plan.network.origin));
  out += PrintMounts(plan) + PrintEnvironment(plan) + PrintLeftOut(plan) + PrintAlerts(plan) +
         PrintGaps(plan);
  return out + PrintBlockers(plan);
}

}  // namespace asb
