#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "measure/records.hpp"
#include "program/executor.hpp"

namespace convoy {

/// One node's records of the epoch that the next step is in.
struct EpochLog {
    NodeEpochRecord record;  ///< its train_s is of before this process took the epoch on
    NodeRecords records;
    TimePoint began = Clock::now();          ///< or was taken on, from a checkpoint
    double checkpoint_s = 0.0;               ///< since then
    std::int64_t examples_of_all_nodes = 0;  ///< since then

    /// Training time until now, without that of checkpoints.
    [[nodiscard]] double train_s() const {
        return record.train_s + Seconds(Clock::now() - began).count() - checkpoint_s;
    }
    /// Adds a training step (counted over the run from 1). Throws DataError where its loss is no finite
    /// number.
    void add_step(std::int64_t step, const StepResult& result);
    /// Adds the time of completing the last step to its record.
    void extend_last_step(const StepResult& result);
};

/// Throws the DataError of a run that has diverged.
[[noreturn]] void fail_diverged(const std::string& what);

}  // namespace convoy
