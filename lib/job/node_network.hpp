#pragma once

#include <utility>

#include "exchange/host_map.hpp"
#include "exchange/links.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// How a node reaches the others of its run.
class Network {
  public:
    Network() = default;
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;
    Network(Network&&) = delete;
    Network& operator=(Network&&) = delete;
    virtual ~Network() = default;

    /// Which ranks share a host.
    [[nodiscard]] virtual const HostMap& hosts() const = 0;
    /// Forms these links with the others, each of which must form the other end. Called once. The
    /// communicator belongs to the network. Throws ClusterError or DeadlineError where a peer does not come.
    virtual Communicator& connect(const Links& links) = 0;
};

/// A network whose links stand already, whatever is asked for.
class FormedNetwork final : public Network {
  public:
    /// communicator outlives this object.
    FormedNetwork(Communicator& communicator, HostMap hosts)
        : communicator_(communicator), hosts_(std::move(hosts)) {}
    [[nodiscard]] const HostMap& hosts() const override { return hosts_; }
    Communicator& connect(const Links& /*links*/) override { return communicator_; }

  private:
    Communicator& communicator_;
    HostMap hosts_;
};

}  // namespace convoy
