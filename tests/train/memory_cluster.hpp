#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "job/node_job.hpp"
#include "spec/experiment_spec.hpp"
#include "support/memory_network.hpp"

namespace convoy::test {

struct MemoryClusterOptions {
    std::optional<Death> death = {};              ///< a node to kill
    std::optional<Clock::duration> grace = {};    ///< see FabricOptions; absent: its default
    std::vector<NodeCheckpoint> resume = {};      ///< by rank; empty: from the beginning
    std::vector<std::int64_t> host_of_rank = {};  ///< see HostMap; empty: each rank has a host of its own
    std::filesystem::path data_folder = {};       ///< for datasets that are read from files
    /// By rank: the folder of a rank that has one of its own.
    std::map<std::int64_t, std::filesystem::path> own_data_folders = {};
};

/// How a node's run ended.
struct NodeEnd {
    ExitCode code = ExitCode::done;
    std::string message = {};  ///< of the error; empty where the run went through
};

/// All that one node told.
struct NodeOutcome {
    NodeRecords records;
    std::vector<std::byte> weights;  ///< a safetensors file; of rank 0 only
    std::vector<NodeCheckpoint> checkpoints;
    NodeEnd end;
    std::int64_t sent_frames = 0;
};

/// A run on nodes that are threads of this process: no processes, no sockets, no launcher. Each node has one
/// compute thread and runs what a worker process runs (run_node) over a network in memory.
///
/// spec.nodes is replaced: by so many nodes of one thread. A node that fails ends alone; the others learn of
/// it from their links, or where they wait for its fingerprint. Returns the outcomes by rank, whatever
/// happened.
std::vector<NodeOutcome> run_memory_cluster(ExperimentSpec spec, std::int64_t nodes,
                                            const MemoryClusterOptions& options = {});

/// The loss of each training step: the mean over the examples of all nodes.
std::vector<double> step_losses(const std::vector<NodeOutcome>& cluster);

}  // namespace convoy::test
