#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "job/node_job.hpp"
#include "job/node_network.hpp"
#include "net/tls_context.hpp"

namespace convoy {

/// The job of a node in a cluster: run_node, or a job of a test. It runs in the thread that called
/// run_worker. An Error that it throws is sent to the launcher.
using NodeJob = std::function<void(NodeAssignment, Network&, NodeReporter&)>;

/// The connection that a launcher made for a worker that it started.
struct OwnConnection {
    int descriptor = -1;    ///< a stream socket, which run_worker closes
    std::int64_t rank = 0;  ///< the rank for which the worker was started
    bool remote = false;    ///< over ssh: the kernel does not end the worker with its launcher
};

/// Nobody listens where the launcher should.
class UnreachableError : public ClusterError {
  public:
    using ClusterError::ClusterError;
};

/// How a worker process reaches its launcher, and what it proves to it.
struct WorkerOptions {
    /// The connection of a worker that the launcher started. Absent: the worker joins at the launcher's door.
    std::optional<OwnConnection> own;
    /// The rank that a worker at the door wants. Absent: any free rank.
    std::optional<std::int64_t> rank;
    /// The cores for this node. Absent: all that this process may use.
    std::optional<int> cores;
    std::string launcher;  ///< HOST:PORT of the door
    std::string token;     ///< the token of the run, for the door
    /// Refuses a launcher without TLS. Else the launcher decides.
    bool requires_tls = false;
    TlsFiles tls;  ///< for TLS; those of a worker that the launcher started come from the launcher
    /// The address or interface at which peers reach this node, see resolve_interface. Absent: the address
    /// with which this node reaches the launcher's door.
    std::optional<std::string> interface;
    std::chrono::milliseconds join_deadline{30'000};  ///< time in which the launcher must answer

    /// The launcher in the words of an error, as in "the launcher at 10.0.0.1:4444".
    [[nodiscard]] std::string launcher_name() const;
};

/// Joins a cluster, runs one job in it and leaves. Returns the exit code of the process: 0, or the code of an
/// error that was sent to the launcher. The launcher reports this error, so the caller must not report it
/// again.
///
/// At the door, the launcher may close the connection without a word, since strangers crowd there. Then the
/// worker tries again until its join deadline.
///
/// If the launcher ends the run or is gone, the process ends at once with _Exit, also in the midst of the
/// job. Nobody needs the results of the job then. A worker that came through the door, or was started by ssh,
/// also does so if the launcher is silent for the spec's deadline. Another worker waits, since the kernel
/// ends it with its launcher.
///
/// If the job was suspended (NodeReporter::suspend), it is called again with the next assignment, over a new
/// network.
///
/// Throws UnreachableError if the launcher cannot be reached, ClusterError if it refuses this node,
/// DisagreementError if it has another version, commit or build.
int run_worker(const WorkerOptions& options, const NodeJob& job);

}  // namespace convoy
