#pragma once

#include <sys/types.h>

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "hosts/child_process.hpp"
#include "hosts/host_guardian.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The emulated hosts of a run, for its launcher. A guardian makes them, a process in a session of its own.
/// The guardian removes the hosts when this object is destroyed, and also when this process is killed: it
/// reads from a pipe whose other end only this process holds.
class EmulatedHosts {
  public:
    /// guardian: the program that calls guard_hosts on its standard input and output, and its first
    /// arguments. Throws the error with which the guardian could not make the hosts, see HostSet;
    /// InterruptedError if a signal comes that this thread holds (base/end_on_signal.hpp).
    EmulatedHosts(const std::vector<std::string>& guardian, const ClusterSpec& cluster, std::int64_t hosts);
    EmulatedHosts(const EmulatedHosts&) = delete;
    EmulatedHosts& operator=(const EmulatedHosts&) = delete;
    EmulatedHosts(EmulatedHosts&&) = delete;
    EmulatedHosts& operator=(EmulatedHosts&&) = delete;
    ~EmulatedHosts();

    [[nodiscard]] const HostPlan& plan() const { return hosts_.plan; }
    /// The entrance through which a child of this process gets onto a host.
    [[nodiscard]] const HostEntrance& entrance(std::int64_t host) const {
        return entrances_.at(static_cast<std::size_t>(host));
    }
    [[nodiscard]] const std::vector<std::filesystem::path>& control_groups(std::int64_t host) const {
        return hosts_.control_groups.at(static_cast<std::size_t>(host));
    }
    /// Removes the hosts. No process may be left on them. Returns a line for each part that could not be
    /// removed.
    std::vector<std::string> remove();

  private:
    void start(const std::vector<std::string>& command);
    void end();
    enum class EndsBySignal : bool { no, yes };
    std::string next_line(std::chrono::milliseconds deadline, EndsBySignal by_signal);

    pid_t guardian_ = -1;
    Descriptor to_guardian_, from_guardian_;
    GuardedHosts hosts_;
    std::vector<HostEntrance> entrances_;
};

/// The limits of a cluster as words of a command line, as in --hosts 5 --link-mbit 1000. If hosts differ, a
/// value is a list, as in --cpu 1,0.5; it has nothing between two commas for a host without this limit.
std::vector<std::string> cluster_arguments(const ClusterSpec& cluster, std::int64_t hosts);

/// The cores that the nodes of an emulated host have together. cores: the cores of the machine. The machine's
/// cores are split over all hosts in equal shares. If a host may not use its share because of its limit, the
/// other hosts get the rest.
double cores_of_host(const ClusterSpec& cluster, std::int64_t host, std::int64_t hosts, int cores);

/// The same for the host of a rank. The spec must have a cluster.
double cores_of_host(const ExperimentSpec& spec, std::int64_t rank, int cores);

/// The compute threads of a rank's node if the spec does not give them: its share of its host's cores, at
/// least one. The spec must have a cluster.
int threads_on_host(const ExperimentSpec& spec, std::int64_t rank, int cores);

}  // namespace convoy
