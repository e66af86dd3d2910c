#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The limits of one host. An absent value is unknown or unlimited.
struct HostModel {
    std::optional<double> link_bits_per_s = {};  ///< in each direction
    std::optional<double> cores = {};            ///< shared by all nodes on the host
    std::optional<std::int64_t> memory_bytes = {};
    bool operator==(const HostModel&) const = default;
};

/// The host, the threads and the measured speeds of one node.
struct NodeModel {
    std::int64_t host = 0;            ///< an index of ClusterModel::hosts
    std::optional<int> threads = {};  ///< compute threads; absent: the launcher decides
    NodeSpeeds speeds = {};           ///< empty if nothing was measured
    bool operator==(const NodeModel&) const = default;
};

/// The link between two nodes. An absent value is unknown.
struct LinkModel {
    std::optional<double> bits_per_s = {};  ///< bits of payload, in each direction, both at the same time
    std::optional<double> latency_s = {};   ///< one way
    bool operator==(const LinkModel&) const = default;
};

/// The description of a cluster that a strategy may use. It is known before the run.
struct ClusterModel {
    std::vector<NodeModel> nodes;                  ///< by rank
    std::vector<HostModel> hosts;                  ///< at least one
    std::vector<LinkCalibration> links = {};       ///< measured links
    std::vector<AllReduceChoice> all_reduce = {};  ///< measured rows; the first row that fits is used
    bool operator==(const ClusterModel&) const = default;
};

/// Makes the cluster model of a spec, from the values of the spec and from the measurements of its
/// calibration. Measured speeds are used if the calibration has as many nodes as the spec, and measured links
/// if it has as many hosts. The rows of `strategy.calibration` come before the all-reduce rows of
/// `calibration`. A calibration that is still a path is ignored, see find_files_beside.
ClusterModel cluster_model(const ExperimentSpec& spec);

/// Bits a second of a host's link in each direction: given, or the least that was measured to another host.
/// Absent if neither is known.
std::optional<double> link_bits_per_s(const ClusterModel& cluster, std::int64_t host);

/// The link between two ranks. It is the measured link of their hosts, or else has the bandwidth of the
/// slower of the two hosts' links. Nodes of one host have known values only if their link was measured.
LinkModel link_between(const ClusterModel& cluster, std::int64_t rank, std::int64_t other);

/// The algorithm for a sum of this many bytes over this many ranks. It comes from the first measured row that
/// fits, or else from choose_algorithm. It is never `automatic`.
AllReduceAlgorithm algorithm_for(const ClusterModel& cluster, std::int64_t bytes, std::int64_t ranks);

}  // namespace convoy
