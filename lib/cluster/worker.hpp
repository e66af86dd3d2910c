#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "job/node_job.hpp"
#include "job/node_network.hpp"

namespace convoy {

/// The job of a node in a cluster: run_node, or a job of a test. It runs in the thread that called
/// run_worker. An Error that it throws is sent to the launcher.
using NodeJob = std::function<void(const NodeAssignment&, Network&, NodeReporter&)>;

struct WorkerOptions {
    std::string launcher;  ///< HOST:PORT
    std::string token;     ///< the token of the run
    /// The address or interface at which peers reach this node, see resolve_interface. Absent: the address
    /// with which this node reaches the launcher.
    std::optional<std::string> interface;
    std::optional<std::int64_t> rank;  ///< the rank for which the node was started; absent: any free rank
    std::chrono::milliseconds join_deadline{30'000};  ///< time in which the launcher must answer
};

/// Joins a cluster, runs one job in it and leaves. Returns the exit code of the process: 0, or the code of an
/// error that was sent to the launcher. The launcher reports this error, so the caller must not report it
/// again.
///
/// If the launcher ends the run, is gone, or is silent for the spec's deadline, the process ends at once with
/// _Exit, also in the midst of the job. Nobody needs the results of the job then.
///
/// Throws ClusterError if the launcher cannot be reached or refuses this node, DisagreementError if it has
/// another version.
int run_worker(const WorkerOptions& options, const NodeJob& job);

}  // namespace convoy
