#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "job/node_job.hpp"
#include "measure/records.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

struct LaunchOptions {
    ExperimentSpec spec;
    std::filesystem::path data_folder;    ///< as the nodes find it
    std::string interface = "127.0.0.1";  ///< where workers reach the launcher, see resolve_interface
    std::uint16_t port = 0;               ///< where it listens; 0: a free one, see on_listening
    /// How many nodes are processes that the launcher starts, ranks 0 and up; the others are awaited to join
    /// by hand. Absent: all.
    std::optional<std::int64_t> local_nodes;
    /// How many ranks the run has: the spec's nodes, and behind them those that its strategy adds, which the
    /// launcher starts. Absent: the spec's nodes.
    std::optional<std::int64_t> ranks = {};
    [[nodiscard]] std::int64_t world_size() const { return ranks.value_or(spec.world_size()); }
    /// Program and first arguments of a local worker, before --join HOST:PORT. Empty: this program's
    /// "worker".
    std::vector<std::string> worker_command;
    /// Program and first arguments of what keeps emulated hosts, before --hosts N and limits; it calls
    /// guard_hosts. Empty: this program's "host-guardian".
    std::vector<std::string> host_guardian;
    std::optional<std::string>
        token;  ///< what a worker must know to join; absent: a random one, for local workers
    /// How long the nodes may take to join, in seconds. Absent: the spec's deadline.
    std::optional<double> join_deadline_s;
    /// Where to go on; its nodes are the spec's. Absent: at the beginning.
    std::optional<RunCheckpoint> resume;
    /// Keeps what all nodes had in hand after a step, before they tell the next. Called from a thread of its
    /// own, once at a time; an Error that it throws becomes a warning of the outcome. Empty: nothing is kept.
    std::function<void(const RunCheckpoint&)> keep_checkpoint;
    int cores = 0;  ///< of this machine, shared by the local nodes; 0: all that this process may use
};

/// A node that took part, as environment.json and progress lines show it.
struct NodeInfo {
    std::int64_t rank = 0;
    std::int64_t pid = 0;
    std::string host;  ///< the address it joined from
    int threads = 1;
    bool operator==(const NodeInfo&) const = default;
};

enum class RunStatus : std::uint8_t { done, interrupted };

/// All that a run left, once its nodes are gone.
struct RunOutcome {
    RunStatus status = RunStatus::done;
    NodeRecords records;  ///< of all nodes, with their clock offsets
    std::vector<std::byte>
        weights;  ///< a safetensors file; empty where the run was interrupted before there were any
    std::vector<NodeInfo> nodes;                   ///< by rank
    std::optional<std::string> network;            ///< of the emulated hosts, as in 198.18.7.0/24
    std::vector<std::int64_t> resumed_from_steps;  ///< in order; empty for a run in one piece
    std::vector<std::string> warnings;  ///< lines for the user: what went wrong without harm to the results
};

/// Told what happens while a run goes on; all calls come from the thread that launched.
class LaunchObserver {
  public:
    LaunchObserver() = default;
    LaunchObserver(const LaunchObserver&) = delete;
    LaunchObserver& operator=(const LaunchObserver&) = delete;
    LaunchObserver(LaunchObserver&&) = delete;
    LaunchObserver& operator=(LaunchObserver&&) = delete;
    virtual ~LaunchObserver() = default;

    /// Workers may join at HOST:PORT.
    virtual void on_listening([[maybe_unused]] const std::string& endpoint) {}
    virtual void on_progress([[maybe_unused]] const NodeProgress& progress) {}
    /// A line for the user that is no error of the run, such as a stranger that was refused.
    virtual void on_notice([[maybe_unused]] const std::string& line) {}
};

/// Starts the nodes of an experiment, runs it and gathers what they tell. When this returns or throws, every
/// process that it started is gone and its port is closed, and so are the emulated hosts of a spec that has a
/// cluster.
///
/// SIGINT and SIGTERM are caught meanwhile: the first stops all nodes before the same training step and keeps
/// what was finished (status interrupted), a second one ends them at once and keeps what had arrived.
///
/// Throws ClusterError where the nodes do not all join in time, or the hosts cannot be emulated;
/// NodeLostError, naming the node that failed first, where one dies or falls silent for the deadline;
/// DisagreementError where versions or fingerprints differ; InterruptedError where a signal came before the
/// nodes had begun; and whatever Error a node reports.
///
/// The local nodes end with the calling thread: call it from a thread that outlives it, such as the main one.
RunOutcome launch(const LaunchOptions& options, LaunchObserver& observer);

}  // namespace convoy
