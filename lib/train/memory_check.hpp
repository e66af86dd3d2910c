#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measure/memory_room.hpp"
#include "plan/memory_need.hpp"
#include "plan/plan.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/compile.hpp"

namespace convoy {

/// The memory that a run needs at least, see MemoryNeed.
struct RunNeed {
    struct Class {
        std::vector<std::int64_t> ranks;  ///< that need the same
        MemoryNeed each;                  ///< the need of one of them
    };
    std::vector<Class> classes;
    /// The need of all ranks of a host together, in bytes.
    [[nodiscard]] std::int64_t of_host(const ExperimentSpec& spec, std::int64_t host) const;
    /// The need of each rank, by rank.
    [[nodiscard]] std::vector<const MemoryNeed*> by_rank() const;
};

/// The need of one rank: its tensors and its data.
MemoryNeed node_need(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan,
                     const NodePlan& node);

/// The need of one process that evaluates the trained network alone, without its data.
MemoryNeed evaluation_need(const ExperimentSpec& spec, const EvaluationPrograms& evaluation);

/// The need of all ranks of a run. It compiles one rank of each class (node_classes).
RunNeed run_need(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan);

/// The need as text: a table with one row for each class of ranks, and one line for each host.
std::string need_text(const RunNeed& need, const ExperimentSpec& spec);

/// The room for a run: of the processes of this machine together, and of each of them.
struct HostRoom {
    MemoryRoom machine;
    std::optional<MemoryRoom> process;
};
HostRoom room_here();

/// One line that says what does not fit and what to do, if the nodes of a run that this machine starts need
/// more than there is. Absent if they fit. by_hand: the last nodes of the spec, which somebody starts on
/// machines with a room of their own.
std::optional<std::string> does_not_fit(const RunNeed& need, const ExperimentSpec& spec, const HostRoom& room,
                                        std::int64_t by_hand = 0);

/// The same for nodes that may have a machine each, which is like this one. Emulated hosts keep their limits.
std::optional<std::string> does_not_fit_apart(const RunNeed& need, const ExperimentSpec& spec,
                                              const HostRoom& room);

/// The same for one node, on the machine that runs it.
std::optional<std::string> does_not_fit(const MemoryNeed& need, std::int64_t rank, const HostRoom& room);

}  // namespace convoy
