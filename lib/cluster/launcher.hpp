#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/timed_faults.hpp"
#include "job/node_job.hpp"
#include "measure/record_sink.hpp"
#include "measure/records.hpp"
#include "measure/run_status.hpp"
#include "net/tls_context.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Where the nodes of a run are, if ssh starts them (ssh_starter.hpp).
struct RemoteNodes {
    std::vector<std::string> hosts;             ///< as ssh takes them
    std::vector<std::size_t> place_of_rank;     ///< an index of `hosts` for each rank
    std::vector<std::string> ssh;               ///< path of the program, and the user's options
    std::string program;                        ///< path of convoy on the hosts
    std::string folder;                         ///< where relative paths begin, if the hosts have it
    std::optional<std::string> interface = {};  ///< by which nodes reach each other; absent: as ssh did

    [[nodiscard]] const std::string& host_of(std::int64_t rank) const {
        return hosts.at(place_of_rank.at(static_cast<std::size_t>(rank)));
    }
};

/// All that a launch is told: the spec, where nodes find data, and how nodes join.
struct LaunchOptions {
    ExperimentSpec spec;
    std::filesystem::path data_folder;  ///< path of the data folder on the nodes
    /// Address at which nodes on other machines reach this one, see resolve_interface.
    std::string interface = "127.0.0.1";
    /// The port where nodes join that are started by hand; 0: any free port, see on_listening.
    std::uint16_t port = 0;
    /// The number of nodes that the launcher starts as processes, from rank 0. The other nodes are started by
    /// hand. Absent: the launcher starts all nodes.
    std::optional<std::int64_t> local_nodes;
    /// The number of ranks of the run: the spec's nodes, and behind them the ranks that its strategy adds.
    /// The launcher starts the added ranks. Absent: the number of the spec's nodes.
    std::optional<std::int64_t> ranks = {};
    [[nodiscard]] std::int64_t world_size() const { return ranks.value_or(spec.world_size()); }
    /// All ranks are on these hosts. Absent: the launcher starts nodes on this machine.
    std::optional<RemoteNodes> remote = {};
    /// The nodes that the launcher starts ignore SIGTERM: whoever started the launcher gives a signal of the
    /// user to all processes, and the launcher decides when nodes stop.
    bool nodes_ignore_term = false;
    /// Program and first arguments of a local worker, before --control, --rank and --interface. Empty: this
    /// program's "worker".
    std::vector<std::string> worker_command;
    /// Program and first arguments of the guardian of emulated hosts, before --hosts N and limits. The
    /// program calls guard_hosts. Empty: this program's "host-guardian".
    std::vector<std::string> host_guardian;
    /// The token of the run, which a node that is started by hand must know to join. Absent: a random token.
    std::optional<std::string> token;
    /// All TCP connections of the run are under TLS, with these files, which the nodes that the launcher
    /// starts read at the same paths. Absent: none is.
    std::optional<TlsFiles> tls = {};
    /// Without TLS, the frames between nodes have seals on this machine too, and not only where they leave
    /// it.
    bool always_seal = false;
    /// The seconds in which all nodes must join. Absent: the spec's deadline.
    std::optional<double> join_deadline_s;
    [[nodiscard]] double seconds_to_join() const { return join_deadline_s.value_or(spec.deadline_s); }
    /// The checkpoint from which the run continues. It must have the nodes of this run. Absent: the run
    /// begins at step 0.
    std::optional<RunCheckpoint> resume;
    /// The ranks that save trained weights, as the plans of the nodes say. Weights count only if all of them
    /// have sent theirs.
    std::vector<std::int64_t> weights_from = {0};
    /// Takes records and weights as they arrive, and outlives the run. Null: they are in the outcome, whose
    /// memory then grows with the run.
    RecordSink* sink = nullptr;
    /// Keeps a checkpoint. The next checkpoint comes only when this one is kept. It is called from a thread
    /// of its own, once at a time. If it throws an Error, the outcome has a warning. Empty: nothing is kept.
    std::function<void(const RunCheckpoint&)> keep_checkpoint;
    /// The random faults that are still to come, which the launcher does to the processes that it started on
    /// this machine. It outlives the launch. Null: none.
    TimedFaults* timed_faults = nullptr;
    /// Cores of this machine that the local nodes share; 0: all cores that this process may use.
    int cores = 0;
};

/// A node that took part in a run, for environment.json and progress lines.
struct NodeInfo {
    std::int64_t rank = 0;
    std::int64_t pid = 0;
    std::string host;  ///< the address from which it joined
    int threads = 1;
    bool operator==(const NodeInfo&) const = default;
};

/// The results of a run, after its nodes have ended.
struct RunOutcome {
    RunStatus status = RunStatus::done;
    NodeRecords records;  ///< of all nodes, with their clock offsets; empty if a sink took them
    /// The bytes of a safetensors file; empty if a sink took them, or if the run was interrupted before all
    /// nodes that save weights had sent theirs.
    std::vector<std::byte> weights;
    std::vector<NodeInfo> nodes;         ///< by rank
    std::optional<std::string> network;  ///< network of the emulated hosts, as in 198.18.7.0/24
    /// Steps of the checkpoints, in order; empty if the run was never resumed.
    std::vector<std::int64_t> resumed_from_steps;
    std::vector<std::string> warnings;  ///< lines for the user about problems that did not harm the results
};

/// The loss of a node, which ends a launch, unless the other nodes go on.
struct LostNode {
    std::optional<std::int64_t> rank =
        {};  ///< absent: nodes lost each other, and it is not known which one failed
    std::optional<std::int64_t> place = {};  ///< the rank that its place had at the beginning of the run
    std::int64_t step = 0;                   ///< the last step that any node is known to have done; 0: none
    std::int64_t own_step = 0;               ///< the last step that this node is known to have done
    std::string cause;                       ///< the line of the error
    /// Seconds since the launcher last heard of this node. Absent: it is not known which one failed, or not
    /// all nodes had joined.
    std::optional<double> unseen_s = {};
    bool had_begun = false;  ///< all nodes had joined
};

/// A fault of the spec that a node is about to suffer.
struct ComingFault {
    std::int64_t rank = 0;
    std::int64_t place = 0;  ///< the rank that its place had at the beginning of the run
    FaultKind kind = FaultKind::kill;
    std::optional<std::int64_t> step = {};  ///< that the node begins; absent: a random fault
    double factor = 1.0;                    ///< slow: by this factor
    std::int64_t told_step = 0;             ///< the last step that any node had told; 0: none
};

/// A run that goes on with other nodes: without some that were lost, or with some that join.
struct GoesOn {
    std::int64_t generation = 0;  ///< counts the memberships of the run; the first has number 0
    std::int64_t nodes = 0;       ///< that there are; they have the ranks from 0 up, in the order of places
    std::vector<std::int64_t> places = {};  ///< of each rank (LostNode::place)
    std::vector<std::int64_t> joined = {};  ///< the places of those that join
    /// They go on after this step. apart: each goes on after its own last step, and the slowest after this
    /// one; what a lost node has not done of its share of each batch is left out.
    std::int64_t step = 0;
    bool apart = false;
};

/// Receives the events of a run for the user. All calls come from the thread that called launch.
class LaunchObserver {
  public:
    LaunchObserver() = default;
    LaunchObserver(const LaunchObserver&) = delete;
    LaunchObserver& operator=(const LaunchObserver&) = delete;
    LaunchObserver(LaunchObserver&&) = delete;
    LaunchObserver& operator=(LaunchObserver&&) = delete;
    virtual ~LaunchObserver() = default;

    /// Nodes that are started by hand may join at HOST:PORT. There is no such port if the launcher starts all
    /// nodes.
    virtual void on_listening([[maybe_unused]] const std::string& endpoint) {}
    virtual void on_progress([[maybe_unused]] const NodeProgress& progress) {}
    /// A node was lost (it was killed, hangs, or its connection closed), and the launch is about to end for
    /// this reason, or to go on without it. It is not called if the user, or records that cannot be kept, had
    /// ended the run before.
    virtual void on_node_lost([[maybe_unused]] const LostNode& lost) {}
    /// A fault of the spec comes to a node. It may be followed by on_node_lost.
    virtual void on_fault([[maybe_unused]] const ComingFault& fault) {}
    /// All nodes that there are have agreed on their work and on its step, and train.
    virtual void on_agreed() {}
    /// A signal came that ends the run. It may come after a node was lost, while the others leave.
    virtual void on_interrupted() {}
    /// After one or several losses, the other nodes go on, or nodes join.
    virtual void on_goes_on([[maybe_unused]] const GoesOn& goes_on) {}
    /// A node that the launcher started wrote a line on its standard error: the report of a sanitizer, for
    /// instance. It may hold any bytes but line feeds, so show it by base/console.hpp only.
    /// Writes it to this process's standard error unless it is overridden.
    virtual void on_node_line(std::int64_t rank, const std::string& line);
    /// A line for the user that is not an error of the run: a stranger was refused, for instance.
    virtual void on_notice([[maybe_unused]] const std::string& line) {}
    /// Called once in a while, at least once in the time between two pings, also while no node tells
    /// anything.
    virtual void on_time_passed() {}
    /// A line about the launcher's own work, for those who want to follow it: a node was started, or joined.
    virtual void on_detail([[maybe_unused]] const std::string& line) {}
};

/// Starts the nodes of an experiment, runs it and collects the results. When it returns or throws, all
/// processes that it started have ended, its port (if any) is closed, and the emulated hosts of the spec's
/// cluster are removed.
///
/// It catches SIGINT, SIGTERM and, unless it is ignored, SIGHUP meanwhile. The first signal stops all nodes
/// before the same training step; the results of the finished steps are kept (status interrupted). A second
/// signal ends the nodes at once; the results that have arrived are kept. A signal that comes when all nodes
/// have ended waits until launch has returned or thrown; then it has the action that it had before.
///
/// Throws:
///
/// * ClusterError if not all nodes join in time, or if the hosts cannot be emulated
/// * NodeLostError, which names the node that failed first, if a node dies or is silent for the deadline, and
///   the others cannot go on without it (FailurePolicy::shrink)
/// * DisagreementError if versions or fingerprints differ
/// * DeadlineError if no node does anything for the deadline before its first step
/// * InterruptedError if a signal comes before the first step, or before results of steps have arrived
/// * any Error that a node reports
/// * OutputError if the sink could not keep records or weights; the nodes were stopped as by a signal, and
///   the sink has what it could keep
///
/// The local nodes end with the calling thread, so call it from a thread that lives as long as the run, such
/// as the main thread.
RunOutcome launch(const LaunchOptions& options, LaunchObserver& observer);

}  // namespace convoy
