#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/launcher.hpp"
#include "cluster/member.hpp"
#include "cluster/node_starter.hpp"
#include "hosts/emulated_hosts.hpp"

namespace convoy {

/// The starter of all nodes of a run: by hand, as processes of this machine (on its emulated hosts, which it
/// makes), or over ssh, by seat. rank: that of a node at the beginning of the run, its place.
class RunStarter final : public NodeStarter {
  public:
    /// options and observer outlive it.
    RunStarter(boost::asio::any_io_executor executor, const LaunchOptions& options, LaunchObserver& observer);

    /// Makes the emulated hosts of the spec, and finds this machine's address. Call it before the others.
    /// Throws ClusterError.
    void open();
    /// Of this machine for the nodes of the run.
    [[nodiscard]] const boost::asio::ip::address& address() const { return address_; }
    /// The network of the emulated hosts, as in 198.18.7.0/24; absent without hosts.
    [[nodiscard]] std::optional<std::string> network() const;
    /// Ends all processes on emulated hosts, and removes the hosts. Returns a line for each part that could
    /// not be removed. Call none of the others after it, but network.
    std::vector<std::string> remove_hosts();

    std::optional<StartedNode> start(const NodeStart& node, NodeWatch watch) override;
    void signal(std::int64_t rank, int number) override;
    void end(std::int64_t rank, bool by_force) override;

  private:
    [[nodiscard]] std::unique_ptr<NodeStarter> make_local_starter();
    [[nodiscard]] NodeStarter& starter_of(std::int64_t rank);

    boost::asio::any_io_executor executor_;
    const LaunchOptions& options_;
    LaunchObserver& observer_;
    std::vector<Seat> seats_;  ///< of the run's first nodes
    boost::asio::ip::address address_;
    std::optional<EmulatedHosts> hosts_;  ///< they outlive the nodes on them
    std::unique_ptr<NodeStarter> own_;
    HandStarter by_hand_;
};

}  // namespace convoy
