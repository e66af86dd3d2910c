#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "program/program.hpp"
#include "strategy/shared_convolution.hpp"
#include "tensor/tensor_slice.hpp"

namespace convoy {

/// The kernels (output channels) of each distributed convolution that each rank computes, by the names of its
/// weight and its bias (with_biases). Rank 0, the master, has at least one kernel of each. Convolutions that
/// are missing here stay with the master as a whole.
using KernelCounts = std::map<std::string, std::vector<std::int64_t>>;

/// The kernels of a rank: a slice of axis 0 of the weights (O, I, H, W). Ranks hold kernels in their order.
TensorSlice kernels_of(std::span<const std::int64_t> counts, std::int64_t rank);

/// The counts of weights, and the same for the bias of each.
KernelCounts with_biases(KernelCounts counts, const Graph& training);

/// The part of one rank in a step or an evaluation of the whole network, of which the ranks share only the
/// convolutions (Marques, Falcao, Alexandre, "Distributed learning of CNNs on heterogeneous CPU/GPU
/// architectures", Applied Artificial Intelligence 32, 2018). The input of a convolution goes from the master
/// along a chain of all ranks that have kernels of it. Each computes its output channels, runs the tail of
/// the convolution on them (channel_tails.hpp), and sends the results back. Backward, the master sends each
/// rank the gradient of these results; the rank computes the gradient of its kernels, and its part of the
/// gradient of the input, which is summed along the chain. Each rank updates its own kernels. The master
/// computes all other operators.
///
/// whole: unfused, for the whole batch. In the result the weights and biases of distributed convolutions,
/// their gradients and their slots have the shape of the rank's part. A rank but the master takes no
/// examples: its program has batch 0.
Program part_of_kernels(const Program& whole, const KernelCounts& counts, std::int64_t rank,
                        const SharingOptions& options);

}  // namespace convoy
