#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace convoy {

/// The way in which examples are dealt out to the nodes. lib/data/sharding.hpp describes each.
enum class ShardingScheme {
    global_batch,
    contiguous,
    strided,
    shuffled,
    replicated,
    proportional,
    by_label,
    dirichlet,
};

inline constexpr std::array<std::pair<std::string_view, ShardingScheme>, 8> sharding_scheme_names{
    {{"global_batch", ShardingScheme::global_batch},
     {"contiguous", ShardingScheme::contiguous},
     {"strided", ShardingScheme::strided},
     {"shuffled", ShardingScheme::shuffled},
     {"replicated", ShardingScheme::replicated},
     {"proportional", ShardingScheme::proportional},
     {"by_label", ShardingScheme::by_label},
     {"dirichlet", ShardingScheme::dirichlet}}};

struct ShardingSpec {
    ShardingScheme scheme = ShardingScheme::global_batch;
    std::int64_t shards_per_node = 2;  ///< by_label: pieces of the sorted dataset that each node takes
    double alpha = 1.0;                ///< dirichlet: the greater, the more alike are the nodes
    bool operator==(const ShardingSpec&) const = default;
};

/// The name of the scheme, as in specs.
constexpr std::string_view scheme_name(ShardingScheme scheme) {
    return std::ranges::find(sharding_scheme_names, scheme,
                             &std::pair<std::string_view, ShardingScheme>::second)
        ->first;
}

}  // namespace convoy
