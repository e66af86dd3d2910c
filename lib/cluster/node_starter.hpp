#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/descriptor.hpp"

namespace convoy {

/// The order to start the process of one node.
struct NodeStart {
    std::int64_t rank = 0;
    std::optional<int> threads;  ///< compute threads; absent: the cores of the node's machine
};

/// A node whose process was started.
struct StartedNode {
    std::int64_t pid = 0;  ///< number of the process for users: its process id, for instance
    Descriptor control;    ///< the launcher's end of the control connection, a stream socket
    std::string host;      ///< the address at which the other nodes reach the node
};

/// How the process of a node ended.
struct NodeProcessEnd {
    std::string how;          ///< as in "ended with exit code 3"
    bool well = false;        ///< exit code 0
    std::string reason = {};  ///< the process's own words about its error; empty if it said none
};

/// The functions that a starter calls for a process. All calls are on the launcher's thread.
struct NodeWatch {
    /// The process has ended. It is called once, but not during NodeStarter::start.
    std::function<void(const NodeProcessEnd& end)> on_end;
    /// The process wrote a line on its standard error, for instance the report of a sanitizer. It may hold
    /// any bytes but line feeds.
    std::function<void(const std::string& line)> on_line;
};

/// Starts and ends the processes of nodes. Each way to start nodes (on this machine, over ssh, under a
/// scheduler) is a class of its own. A starter also makes the control connection of each node (PROTOCOL.md).
///
/// All calls come from the launcher's thread. The destructor
/// leaves no process that the starter started.
class NodeStarter {
  public:
    NodeStarter() = default;
    NodeStarter(const NodeStarter&) = delete;
    NodeStarter& operator=(const NodeStarter&) = delete;
    NodeStarter(NodeStarter&&) = delete;
    NodeStarter& operator=(NodeStarter&&) = delete;
    virtual ~NodeStarter() = default;

    /// Starts the process of a rank. The result is absent if somebody else starts the process, which then
    /// joins at the launcher's door; then nothing of watch is ever called. Throws ClusterError if the process
    /// cannot be started.
    virtual std::optional<StartedNode> start(const NodeStart& node, NodeWatch watch) = 0;
    /// Sends a signal to the process of a rank, if it is on this machine and has not ended.
    virtual void signal(std::int64_t /*rank*/, int /*number*/) {}
    /// Ends the process of a rank, with SIGTERM, or by force with SIGKILL. Does nothing if the process has
    /// ended already.
    virtual void end(std::int64_t rank, bool by_force) = 0;
};

/// The starter of nodes that are started by hand, with `convoy worker` on their machine. It starts nothing.
class HandStarter final : public NodeStarter {
  public:
    std::optional<StartedNode> start(const NodeStart& /*node*/, NodeWatch /*watch*/) override {
        return std::nullopt;
    }
    void end(std::int64_t /*rank*/, bool /*by_force*/) override {}
};

}  // namespace convoy
