#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "report/run_record.hpp"

namespace convoy {

/// Which records of operators, steps and epochs count. Readings of /proc and summaries always count.
struct RecordChoice {
    std::int64_t first_epoch = 1;  ///< counted from 1
    std::int64_t last_epoch = std::numeric_limits<std::int64_t>::max();
    std::optional<std::int64_t> node = {};  ///< only this one; epochs.csv is of all nodes, and stays

    [[nodiscard]] bool has_epoch(std::int64_t epoch) const {
        return first_epoch <= epoch && epoch <= last_epoch;
    }
    [[nodiscard]] bool has_node(std::int64_t rank) const { return !node || *node == rank; }
};

/// The chosen records of a run, and how much of the run they are.
struct ChosenRun {
    RunResults results;
    std::int64_t epochs = 0;  ///< in which operators were trained
    std::int64_t steps = 0;   ///< of the node with the most
    std::int64_t nodes = 0;   ///< with operators in training
    /// Of the whole run, as summaries are.
    std::int64_t all_epochs = 0, all_steps = 0;
};

}  // namespace convoy
