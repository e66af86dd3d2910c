#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/sharding_spec.hpp"

namespace convoy {

/// The inputs that decide which part of a dataset each replica keeps.
struct PartsRequest {
    ShardingSpec sharding = {};
    std::span<const std::int64_t> sizes = {};  ///< examples of each replica's part
    std::uint64_t seed = 0;
    /// Of each example, at least 0. Used by by_label and dirichlet only.
    std::span<const std::int32_t> labels = {};
};

/// The examples [0, sum of the sizes), each once: the part of the first replica in ascending order, then that
/// of the second, and so on. Scheme by scheme:
///
/// * strided: the examples are dealt out in turn, one to each replica; replicas whose part is full are
///   skipped. So replica r of n parts of equal sizes has the examples r, r + n, r + 2n and so on.
/// * shuffled: the examples are shuffled once and cut.
/// * by_label: the examples are sorted by label and cut into shards_per_node pieces for each replica, which
///   are dealt out in drawn order (McMahan, Moore, Ramage, Hampson, Agüera y Arcas: "Communication-efficient
///   learning of deep networks from decentralized data", AISTATS 2017). A piece that lies over the border of
///   two classes has both.
/// * dirichlet: each replica draws the proportions of its classes from Dir(alpha p), where p are the
///   proportions of the whole dataset. The replicas then draw examples in turn, without replacement, of
///   classes in these proportions (Hsu, Qi, Brown: "Measuring the effects of non-identical data distribution
///   for federated visual classification", arXiv:1909.06335). A replica whose classes are used up draws of
///   all that is left. The time grows with examples times classes.
///
/// Throws InternalError for other schemes, or if labels are needed and there is not one for each example.
std::vector<std::uint32_t> parts_of_replicas(const PartsRequest& request);

}  // namespace convoy
