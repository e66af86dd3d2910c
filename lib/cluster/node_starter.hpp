#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace convoy {

/// The order to start the process of one node.
struct NodeStart {
    std::int64_t rank = 0;
    std::string launcher;        ///< HOST:PORT where the node joins
    std::string token;           ///< which the node must know to join; never on a command line
    std::optional<int> threads;  ///< compute threads; absent: the cores of the node's machine
};

/// How the process of a node ended.
struct NodeProcessEnd {
    std::string how;    ///< as in "ended with exit code 3"
    bool well = false;  ///< exit code 0
};

/// Starts the processes of nodes somewhere, and ends them. The launcher needs no more to run on this machine,
/// on others through ssh, or under a scheduler: each of these is a class of its own. A node then joins the
/// launcher by itself (PROTOCOL.md).
///
/// All calls come from the launcher's thread, and so must calls of OnEnd. When a starter goes, no process
/// that it started is left.
class NodeStarter {
  public:
    using OnEnd = std::function<void(const NodeProcessEnd& end)>;

    NodeStarter() = default;
    NodeStarter(const NodeStarter&) = delete;
    NodeStarter& operator=(const NodeStarter&) = delete;
    NodeStarter(NodeStarter&&) = delete;
    NodeStarter& operator=(NodeStarter&&) = delete;
    virtual ~NodeStarter() = default;

    /// Starts the process of a rank, and calls on_end once when it ended, but not during this call. Returns
    /// the number of the process, as users know it; absent where somebody else starts it, and then on_end is
    /// never called. Throws ClusterError where the process cannot be started.
    virtual std::optional<std::int64_t> start(const NodeStart& node, OnEnd on_end) = 0;
    /// Ends the process of a rank: asks it (SIGTERM), or ends it by force (SIGKILL). Does nothing where it
    /// ended already.
    virtual void end(std::int64_t rank, bool by_force) = 0;
};

/// Nodes that come by hand: somebody types `convoy worker` on their machine. Starts nothing.
class HandStarter final : public NodeStarter {
  public:
    std::optional<std::int64_t> start(const NodeStart& /*node*/, OnEnd /*on_end*/) override {
        return std::nullopt;
    }
    void end(std::int64_t /*rank*/, bool /*by_force*/) override {}
};

}  // namespace convoy
