#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "hosts/control_groups.hpp"
#include "hosts/host_plan.hpp"
#include "spec/cluster_spec.hpp"

namespace convoy {

/// Emulated hosts of this machine, owned by this process: made with this object and taken away with it. Their
/// names tell the owner, so that what an owner left that was killed is found and removed by the next one.
class HostSet {
  public:
    /// Makes so many hosts. Throws ClusterError, and leaves nothing behind, where this process may not (it is
    /// not root), where iproute2 or a controller is missing, or where no network is free.
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
    /// Takes all away: processes that are left in the hosts' control groups are ended. Returns what could not
    /// be removed, in words.
    std::vector<std::string> remove();

  private:
    void make(const ClusterSpec& cluster);

    ControlGroupRoots roots_;
    HostPlan plan_;
    Descriptor reservation_;  ///< of the network: a socket whose name says which
    std::vector<std::vector<std::filesystem::path>> groups_;
};

}  // namespace convoy
