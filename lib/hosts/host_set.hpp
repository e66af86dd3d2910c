#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "hosts/control_groups.hpp"
#include "hosts/host_plan.hpp"
#include "spec/cluster_spec.hpp"

namespace convoy {

/// Emulated hosts of this machine, owned by this process. The constructor makes them, and the destructor
/// removes them. Their names contain the owner's process id. So the next owner finds and removes the hosts of
/// an owner that was killed.
class HostSet {
  public:
    /// Makes `hosts` hosts. Throws ClusterError, and leaves nothing, if this process is not root, if iproute2
    /// or a controller is missing, or if no network is free.
    HostSet(const ClusterSpec& cluster, std::int64_t hosts);
    HostSet(const HostSet&) = delete;
    HostSet& operator=(const HostSet&) = delete;
    HostSet(HostSet&&) = delete;
    HostSet& operator=(HostSet&&) = delete;
    ~HostSet();

    [[nodiscard]] const HostPlan& plan() const { return plan_; }
    /// The control groups of a host, as folders.
    [[nodiscard]] const std::vector<std::filesystem::path>& control_groups(std::int64_t host) const {
        return groups_.at(static_cast<std::size_t>(host));
    }
    /// Removes all hosts, and ends the processes that are left in their control groups. Returns a line for
    /// each part that could not be removed.
    std::vector<std::string> remove();

  private:
    void make(const ClusterSpec& cluster);

    ControlGroupRoots roots_;
    HostPlan plan_;
    Descriptor reservation_;  ///< reserves the network: a socket with the network in its name
    std::vector<std::vector<std::filesystem::path>> groups_;
};

}  // namespace convoy
