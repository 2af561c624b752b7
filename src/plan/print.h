// A plan as people and programs read it.
#pragma once

#include <string>

#include "plan/plan.h"

namespace asb {

/// Columns of step, path and reason; every line names who said so.
std::string PlanToText(const Plan& plan);

/// docs/reference/plan.md describes the format.
std::string PlanToJson(const Plan& plan);

}  // namespace asb
