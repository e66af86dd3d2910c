#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/launcher.hpp"
#include "cluster/node_starter.hpp"
#include "hosts/child_process.hpp"

namespace convoy {

/// Starts nodes on other hosts by the system's ssh. The control connection of a node is the standard input
/// and output of ssh, so nobody else can have it, and it ends with the launcher, with ssh and with the node.
class SshStarter final : public NodeStarter {
  public:
    SshStarter(boost::asio::any_io_executor executor, RemoteNodes nodes);

    std::optional<StartedNode> start(const NodeStart& node, NodeWatch watch) override;
    /// Ends ssh; the node ends when its connection does.
    void end(std::int64_t rank, bool by_force) override;

  private:
    boost::asio::any_io_executor executor_;
    RemoteNodes nodes_;
    std::map<std::int64_t, std::shared_ptr<ChildProcess>> processes_;  ///< by rank
};

/// The command line of ssh for a node. Its last word is a command for the shell of the host.
std::vector<std::string> ssh_command(const RemoteNodes& nodes, const NodeStart& node);

}  // namespace convoy
