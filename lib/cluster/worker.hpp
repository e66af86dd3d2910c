#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "job/node_job.hpp"
#include "job/node_network.hpp"

namespace convoy {

/// What a node does once it is part of a cluster: run_node, or a test's own. It runs in the thread that
/// called run_worker; an Error that it throws is told to the launcher.
using NodeJob = std::function<void(const NodeAssignment&, Network&, NodeReporter&)>;

struct WorkerOptions {
    std::string launcher;  ///< HOST:PORT
    std::string token;     ///< what the launcher asks for
    /// Where its peers reach this node, see resolve_interface. Absent: the address that reaches the
    /// launcher.
    std::optional<std::string> interface;
    std::optional<std::int64_t> rank;  ///< the place that it was started for; absent: any free one
    std::chrono::milliseconds join_deadline{30'000};  ///< until the launcher has answered
};

/// Joins a cluster, runs one job in it and leaves. Returns the exit code for the process: 0, or the code of
/// an error that the launcher was told (which reports it, so that nobody else has to).
///
/// Where the launcher ends the run, or is gone, or says nothing for the spec's deadline, the process ends at
/// once with _Exit, whatever the job is doing: its results are of no use to anyone.
///
/// Throws ClusterError where the launcher cannot be reached or refuses this node, DisagreementError where it
/// runs another version.
int run_worker(const WorkerOptions& options, const NodeJob& job);

}  // namespace convoy
