#pragma once

#include <cstdint>

#include "plan/data_plan.hpp"
#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Which epoch a training step is in, how its update counts, and what comes behind it: all that the spec and
/// the plan of the data say of a step, the same on all nodes. `done`: the steps that are done, so the next
/// one has this number, counted from 0.
class StepSchedule {
  public:
    /// spec and data must outlive this object.
    StepSchedule(const ExperimentSpec& spec, const DataPlan& data) : spec_(spec), data_(data) {}

    /// Training steps of the whole run, and of a whole epoch.
    [[nodiscard]] std::int64_t steps() const { return data_.steps; }
    [[nodiscard]] std::int64_t steps_per_epoch() const { return data_.train.steps_per_epoch(); }
    /// The epoch of the next step, counted from 1.
    [[nodiscard]] std::int64_t epoch_behind(std::int64_t done) const { return done / steps_per_epoch() + 1; }
    /// The next step's place in its epoch, counted from 0.
    [[nodiscard]] std::int64_t step_of_epoch(std::int64_t done) const { return done % steps_per_epoch(); }
    /// Whether the spec wants a checkpoint before the next step.
    [[nodiscard]] bool checkpoint_is_due(std::int64_t done) const;
    /// The next number of done steps at which all nodes wait for each other: the next checkpoint, or the end
    /// of the epoch.
    [[nodiscard]] std::int64_t next_agreed_step(std::int64_t done) const;
    /// The context of the next step.
    [[nodiscard]] StepContext context(std::int64_t done) const;
    /// The context of the update for another node's message of a step, counted from 1 (MessageHandling). The
    /// update counts by the share of the batch that the other node has.
    [[nodiscard]] StepContext context_of_message(std::int64_t peer, std::int64_t step) const;

  private:
    [[nodiscard]] double rate_factor(std::int64_t done) const;

    const ExperimentSpec& spec_;
    const DataPlan& data_;
};

}  // namespace convoy
