#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"
#include "strategy/node_plan_builder.hpp"

namespace convoy {

/// The end of a worker's step: where it gets the new values.
enum class ValuesCome : std::uint8_t {
    in_step,                        ///< in the step itself
    in_next_step,                   ///< while the next step computes; nothing is left of a step before
    in_next_step_and_earlier_here,  ///< while the next step computes; those of the step before while this one
                                    ///< does
};

/// Whether new values travel while the next step computes: with overlap_forward, where no norm of all
/// gradients is needed.
bool values_come_later(const CompileInput& input);

/// The step of one worker of parameter servers: it pushes gradients in slices, behind the backward pass or in
/// it (with overlap), and gets the new values. split: the examples of each rank. Where values come later,
/// slices travel in the order of order_of_need, and the next step waits for a bucket right before the first
/// operator that uses it.
Program worker_step(const NodePlanBuilder& plan, std::int64_t rank, const std::vector<std::int64_t>& split,
                    ValuesCome values);

/// Where values come later: all that the last step before an evaluation or a checkpoint leaves under way.
Program rest_of_step(const NodePlanBuilder& plan);

}  // namespace convoy
