#pragma once

#include <array>

#include "spec/all_reduce_spec.hpp"

namespace convoy::test {

/// All algorithms of an all-reduce.
inline constexpr std::array every_algorithm{AllReduceAlgorithm::ring,
                                            AllReduceAlgorithm::halving_doubling,
                                            AllReduceAlgorithm::recursive_doubling,
                                            AllReduceAlgorithm::tree,
                                            AllReduceAlgorithm::pairwise,
                                            AllReduceAlgorithm::hierarchical,
                                            AllReduceAlgorithm::automatic};

}  // namespace convoy::test
