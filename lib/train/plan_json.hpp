#pragma once

#include <nlohmann/json_fwd.hpp>

#include "plan/plan.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/compile.hpp"
#include "train/memory_check.hpp"

namespace convoy {

/// A plan for programs: the numbers that describe_layers and need_text give to people. shape, plan, need: as
/// describe has them.
nlohmann::json layers_json(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan,
                           const RunNeed& need);

/// The same, unequal shares of a batch (`balance`, as in summary.json), and each class of equal ranks: the
/// programs of a step, their exchanges, and the work of a step. Throws as describe.
nlohmann::json plan_json(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan,
                         const RunNeed& need);

}  // namespace convoy
