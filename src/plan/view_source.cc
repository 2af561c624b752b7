#include "plan/view_source.h"

namespace asb {

void ViewSource::Show(const AbsolutePath& source, const AbsolutePath& target) {
  sources_.insert_or_assign(target, source);
  for (AbsolutePath at = target.Parent(); !at.IsRoot(); at = at.Parent()) {
    if (!above_targets_.insert(at).second) return;
  }
}

AbsolutePath ViewSource::OnHost(const AbsolutePath& path) const {
  if (sources_.empty()) return path;
  for (AbsolutePath at = path; !at.IsRoot(); at = at.Parent()) {
    const auto shown = sources_.find(at);
    if (shown != sources_.end()) return path.Moved(at, shown->second);
  }
  return path;
}

std::optional<Resolved> ViewSource::SourceOf(const Resolved& path) const {
  if (!Moves()) return std::nullopt;
  AbsolutePath host = OnHost(path.real);
  if (host == path.real) return std::nullopt;
  return Resolved{path.spelled, std::move(host), path.kind, path.hops};
}

FileFact ViewSource::Look(const AbsolutePath& path) {
  if (sources_.empty()) return host_.Look(path);
  if (IsMade(path)) return {FileKind::kFolder, ""};
  return host_.Look(OnHost(path));
}

Result<Listing> ViewSource::List(const AbsolutePath& folder) { return host_.List(OnHost(folder)); }

std::string ViewSource::FirstLine(const AbsolutePath& file, std::string_view start) {
  return host_.FirstLine(OnHost(file), start);
}

}  // namespace asb
