#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// What is known of one host. An absent value is not known, or has no limit.
struct HostModel {
    std::optional<double> link_bits_per_s = {};  ///< each way
    std::optional<double> cores = {};            ///< of all nodes on the host together
    std::optional<std::int64_t> memory_bytes = {};
    bool operator==(const HostModel&) const = default;
};

/// What is known of one node.
struct NodeModel {
    std::int64_t host = 0;            ///< an index of ClusterModel::hosts
    std::optional<int> threads = {};  ///< absent: the launcher decides it
    NodeSpeeds speeds = {};           ///< empty where nothing was measured
    bool operator==(const NodeModel&) const = default;
};

/// The way between two nodes. An absent value is not known.
struct LinkModel {
    std::optional<double> bits_per_s = {};  ///< of payload, each way at the same time
    std::optional<double> latency_s = {};   ///< one way
    bool operator==(const LinkModel&) const = default;
};

/// What a strategy may know of a cluster before anything runs.
struct ClusterModel {
    std::vector<NodeModel> nodes;                  ///< by rank
    std::vector<HostModel> hosts;                  ///< at least one
    std::vector<LinkCalibration> links = {};       ///< measured ones
    std::vector<AllReduceChoice> all_reduce = {};  ///< measured ones; the first that fits holds
    bool operator==(const ClusterModel&) const = default;
};

/// The cluster of a spec: what the spec says, and what its calibration measured where that fits. Speeds fit
/// the same number of nodes, links the same number of hosts. `strategy.calibration` stands before the
/// all-reduce rows of `calibration`. A calibration that is a path is not looked at, see find_files_beside.
ClusterModel cluster_model(const ExperimentSpec& spec);

/// The link between two ranks: the measured one of their hosts, else what the slower of the two hosts' links
/// carries. Nodes of one host have a link only where it was measured.
LinkModel link_between(const ClusterModel& cluster, std::int64_t rank, std::int64_t other);

/// The algorithm of a sum of so many bytes over so many ranks: the measured one for this number of ranks,
/// else choose_algorithm. Never `automatic`, except for one rank.
AllReduceAlgorithm algorithm_for(const ClusterModel& cluster, std::int64_t bytes, std::int64_t ranks);

}  // namespace convoy
