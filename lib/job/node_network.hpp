#pragma once

#include <utility>

#include "exchange/host_map.hpp"
#include "exchange/links.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// Connects a node with the other nodes of its run.
class Network {
  public:
    Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    Network(Network&&) = delete;
    Network& operator=(Network&&) = delete;
    virtual ~Network() = default;

    /// The host of each rank.
    [[nodiscard]] virtual const HostMap& hosts() const = 0;
    /// Forms these links with the other nodes. Each peer must form the other end of its link. Call it once.
    /// The network owns the communicator. Throws ClusterError or DeadlineError if a peer does not connect.
    virtual Communicator& connect(const Links& links) = 0;
};

/// A network whose links already exist. `connect` forms no links.
class FormedNetwork final : public Network {
  public:
    /// The communicator must outlive this object.
    FormedNetwork(Communicator& communicator, HostMap hosts)
        : communicator_(communicator), hosts_(std::move(hosts)) {}
    [[nodiscard]] const HostMap& hosts() const override { return hosts_; }
    Communicator& connect(const Links& /*links*/) override { return communicator_; }

  private:
    Communicator& communicator_;
    HostMap hosts_;
};

}  // namespace convoy
