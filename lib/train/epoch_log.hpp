#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "measure/records.hpp"
#include "program/executor.hpp"

namespace convoy {

/// One node's records of the epoch of the next step.
struct EpochLog {
    NodeEpochRecord record;          ///< its train_s counts the time before this process continued the epoch
    NodeRecords records;             ///< that were not told yet
    TimePoint began = Clock::now();  ///< start of the epoch, or of its rest after a checkpoint
    double paused_s = 0.0;           ///< since then, for checkpoints and to tell of steps
    std::int64_t examples_of_all_nodes = 0;  ///< since then

    /// Seconds of training until now, without pauses.
    [[nodiscard]] double train_s() const {
        return record.train_s + Seconds(Clock::now() - began).count() - paused_s;
    }
    /// Adds a training step. step: counted over the run, from 1. core_look: the newest one before it. Throws
    /// DataError if its loss is not finite.
    void add_step(std::int64_t step, const StepResult& result, Microseconds core_look);
    /// Adds the time in which the last step was completed to its record.
    void extend_last_step(const StepResult& result);
};

/// Throws the DataError of a run that has diverged. what: the value that shows it.
[[noreturn]] void fail_diverged(const std::string& what);

}  // namespace convoy
