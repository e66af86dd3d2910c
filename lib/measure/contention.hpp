#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "measure/core_list.hpp"

namespace convoy {

/// How far a node had its machine for itself, from the first step to the end of its job: training, evaluation
/// and checkpoints, but no reading of data. What the system does not tell is absent.
struct Contention {
    std::string machine = {};  ///< the host name
    std::string boot_id = {};  ///< the same on all nodes of one machine, and on no other; empty: not told
    double elapsed_s = 0.0;
    double cpu_s = 0.0;                         ///< processor time of this node
    std::optional<double> starter_cpu_s = {};   ///< of the launcher, if it started this node
    std::optional<double> waited_s = {};        ///< runnable without a core: the sum over this node's threads
    std::int64_t involuntary_switches = 0;      ///< this node lost a core that it had not given back
    std::optional<double> machine_busy_s = {};  ///< of all processes: user, nice and system time
    std::optional<double> steal_s = {};         ///< the hypervisor gave the machine's cores to other guests
    std::int64_t cores = 1;                     ///< of the machine
    std::int64_t usable_cores = 1;              ///< of these, those that the node may use
    std::optional<CoreList> core_list = {};     ///< which these are
    std::optional<double> load_at_start = {};   ///< load average over one minute
    std::optional<double> start_mhz = {}, end_mhz = {};  ///< mean over the cores
    std::optional<std::int64_t> host = {};               ///< the emulated host, from 0
    std::optional<double> host_cpu = {};                 ///< its limit, in cores
    std::optional<std::int64_t> retransmits = {};        ///< segments of TCP that this node had to send again
    bool operator==(const Contention&) const = default;
};

/// What one process of a run saw, and the next one that continued the run. Times add up; the frequency at the
/// start and the load are the first one's, the rest is the last one's.
Contention together(const Contention& before, const Contention& after);

/// The cores that some nodes of one machine may use together, at least 1: launchers of MPI, for instance,
/// bind each node to cores of its own. If a node does not tell which these are, all have those of the node
/// with the most.
std::int64_t usable_together(std::span<const Contention* const> nodes);

}  // namespace convoy
