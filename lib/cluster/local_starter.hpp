#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/node_starter.hpp"
#include "hosts/child_process.hpp"

namespace convoy {

/// The place of a process on this machine: beside the launcher, or on an emulated host.
struct LocalPlace {
    std::string address;                 ///< the address at which the other nodes reach the process
    const HostEntrance* host = nullptr;  ///< an emulated host; null: beside the launcher
    /// Returns the reason why a process of this place was killed, as in ", as the memory of its host was used
    /// up", or an empty text if the reason is not known. May be absent.
    std::function<std::string()> killed_because;
};

/// Starts nodes as processes of this machine, also on emulated hosts. The processes end with the thread that
/// started them.
class LocalStarter final : public NodeStarter {
  public:
    /// worker: program and first arguments, before --control. place_of: the place of each rank.
    /// ignores_term: the processes ignore SIGTERM, and end by force only.
    LocalStarter(boost::asio::any_io_executor executor, std::vector<std::string> worker,
                 std::function<LocalPlace(std::int64_t rank)> place_of, bool ignores_term);

    std::optional<StartedNode> start(const NodeStart& node, NodeWatch watch) override;
    void signal(std::int64_t rank, int number) override;
    void end(std::int64_t rank, bool by_force) override;

  private:
    boost::asio::any_io_executor executor_;
    std::vector<std::string> worker_;
    std::function<LocalPlace(std::int64_t)> place_of_;
    bool ignores_term_;
    std::map<std::int64_t, std::shared_ptr<ChildProcess>> processes_;  ///< by rank
};

}  // namespace convoy
