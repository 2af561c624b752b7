#include "plan/json.h"
#include "plan/print.h"

namespace asb {
namespace {

Json WithWhy(Json row, const Why& why) {
  row["why"] = JsonBytes(why.text);
  row["origin"] = JsonOrigin(why.origin);
  return row;
}

Json Choice(std::string_view word, const Origin& origin) {
  return Json{{"value", std::string(word)}, {"origin", JsonOrigin(origin)}};
}

Json JsonOf(const MountStep& step) {
  Json row{{"step", std::string(WordFor(step.kind))}, {"target", JsonBytes(step.target.text())}};
  if (HasSource(step.kind)) row["source"] = JsonBytes(step.source.text());
  if (step.kind == MountKind::kLink) row["link"] = JsonBytes(step.link_target);
  if (step.kind == MountKind::kMade) row["content"] = JsonBytes(step.content);
  return WithWhy(std::move(row), step.why);
}

Json JsonOf(const ViewEntry& entry) {
  Json row{{"path", JsonBytes(entry.path.text())}, {"access", std::string(WordFor(entry.access))}};
  if (entry.source != entry.path) row["source"] = JsonBytes(entry.source.text());
  if (entry.floor) row["floor"] = true;
  return WithWhy(std::move(row), entry.why);
}

Json JsonOf(const EnvStep& step) {
  Json row{{"name", JsonBytes(step.name)}, {"step", step.value ? "set" : "pass"}};
  return WithWhy(std::move(row), step.why);
}

Json JsonOf(const LeftOut& item) {
  return Json{
      {"what", JsonBytes(item.what)}, {"reason", item.reason}, {"origin", JsonOrigin(item.origin)}};
}

Json JsonOf(const Gap& gap) {
  const GapSpec& spec = SpecOf(gap.id);
  Json row{{"name", std::string(spec.name)}, {"means", std::string(spec.sentence)}};
  if (!gap.where.empty()) row["where"] = gap.where;
  return row;
}

Json JsonOf(const Alert& alert) {
  return WithWhy(Json{{"path", JsonBytes(alert.path.text())}}, {alert.what, alert.origin});
}

Json JsonOf(const Blocker& blocker) {
  return Json{{"what", blocker.what}, {"cause", JsonBytes(blocker.cause)}, {"fix", blocker.fix}};
}

template <typename Item>
Json JsonList(const std::vector<Item>& items) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(JsonOf(item));
  return out;
}

}  // namespace

std::string PlanToJson(const Plan& plan) {
  Json command = Json::array();
  for (const std::string& word : plan.command) command.push_back(JsonBytes(word));
  Json home = Choice(WordFor(plan.home.value), plan.home.origin);
  if (plan.kept) {
    home["key"] = plan.kept->key;
    home["folder"] = JsonBytes(plan.kept->folder.text());
    home["reach"] = plan.kept->reach;
  }
  return DumpJson({{"version", 1},
                   {"engine", plan.engine},
                   {"command", std::move(command)},
                   {"workspace", JsonBytes(plan.workspace.text())},
                   {"view", Choice(WordFor(plan.view.value), plan.view.origin)},
                   {"home", std::move(home)},
                   {"network", Choice(WordFor(plan.network.value), plan.network.origin)},
                   {"entries", JsonList(plan.entries)},
                   {"mounts", JsonList(plan.mounts)},
                   {"environment", JsonList(plan.env)},
                   {"left-out", JsonList(plan.left_out)},
                   {"alerts", JsonList(plan.alerts)},
                   {"gaps", JsonList(plan.gaps)},
                   {"blockers", JsonList(plan.blockers)}});
}

}  // namespace asb
