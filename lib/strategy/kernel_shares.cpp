#include "strategy/kernel_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>

#include "base/error.hpp"
#include "graph/operator_cost.hpp"
#include "graph/operator_name.hpp"
#include "plan/step_cost.hpp"
#include "strategy/channel_tails.hpp"

namespace convoy {
namespace {

using Kind = OperatorKind;

/// FLOPs of a convolution's passes for one kernel and one example.
struct KernelFlops {
    double forward = 0.0, filter_gradient = 0.0, input_gradient = 0.0;
};

/// The bytes that the tail of one channel reads and writes for one example.
struct TailBytes {
    double elementwise = 0.0;
    std::map<std::string, double> pooling = {};  ///< by layer
};

/// A convolution that may be distributed.
struct Candidate {
    std::string weight, layer;
    ConvolutionWork work;
    KernelFlops flops;
    TailBytes tail;
};

void add_pass(Candidate& layer, const Operator& op, const Graph& graph) {
    const auto flops =
        static_cast<double>(operator_cost(op, graph.tensors).flops) / static_cast<double>(layer.work.kernels);
    switch (op.kind) {
        case Kind::conv2d: layer.flops.forward = flops; break;
        case Kind::conv2d_backprop_filter: layer.flops.filter_gradient = flops; break;
        default: layer.flops.input_gradient = flops; break;
    }
}

/// Whether fusion makes an operator of a tail a part of its convolution.
bool is_folded(Kind kind) {
    return kind == Kind::bias_add || kind == Kind::bias_add_grad || kind == Kind::relu;
}

/// Of a tail of so many channels, forward and backward.
TailBytes bytes_of_tail(const ChannelTail& tail, const Graph& graph, const KernelSpec& kernels,
                        std::int64_t channels) {
    TailBytes bytes;
    for (const auto* operators : {&tail.forward, &tail.backward}) {
        for (const auto* op : *operators) {
            if (kernels.fusion && is_folded(op->kind)) continue;
            const auto cost = operator_cost(*op, graph.tensors, activation_bytes(kernels));
            auto& sum = is_pooling(op->kind) ? bytes.pooling[layer_of_operator(op->name)] : bytes.elementwise;
            sum += static_cast<double>(cost.moved_bytes()) / static_cast<double>(channels);
        }
    }
    return bytes;
}

/// The kernels that a back-end computes together. oneDNN keeps channels in blocks of the floats of a vector
/// register, and in the forward pass fills up the last block with zeros
/// (https://uxlfoundation.github.io/oneDNN/dev_guide_understanding_memory_formats.html). 8: AVX2; all nodes
/// must find the same shares, so that none asks its own processor. Nodes with other kernels lose little.
std::int64_t kernel_block(const ExperimentSpec& spec) {
    constexpr std::int64_t onednn_block = 8;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank)
        if (spec.kernels_of(rank).name == KernelLibrary::onednn) return onednn_block;
    return 1;
}

/// The operators of each convolution, by weight, in the order of the forward pass.
std::vector<Candidate> candidates(const Graph& graph, const ExperimentSpec& spec, std::int64_t batch) {
    constexpr double float_bytes = 4.0;
    const auto block = kernel_block(spec);
    std::vector<Candidate> layers;
    const auto find = [&](TensorId weight) {
        return std::ranges::find(layers, graph.tensor(weight).name, &Candidate::weight);
    };
    std::map<TensorId, TensorId> weight_of;
    for (const auto& parameter : graph.parameters) weight_of[parameter.gradient] = parameter.value;
    const ChannelTails tails(graph.operators);
    for (const auto& op : graph.operators) {
        if (op.kind == Kind::conv2d && op.as<WindowAttributes>().groups == 1) {
            const auto& weight = graph.tensor(op.inputs.at(1));
            const auto bytes = [&](TensorId id) {
                return static_cast<double>(graph.tensor(id).shape.elements()) * float_bytes *
                       static_cast<double>(batch);
            };
            const auto kernels = weight.shape[0];
            const auto tail = tails.of(op);
            layers.push_back({.weight = weight.name,
                              .layer = layer_of_operator(op.name),
                              .work = {.kernels = kernels,
                                       .input_bytes = bytes(op.inputs.at(0)),
                                       .channel_bytes = bytes(tail.result) / static_cast<double>(kernels),
                                       .input_gradient = false,
                                       .sub_batches = spec.strategy.sub_batches,
                                       .block = block},
                              .flops = {},
                              .tail = bytes_of_tail(tail, graph, spec.kernels, kernels)});
            add_pass(layers.back(), op, graph);
        }
        if (op.kind == Kind::conv2d_backprop_filter) {
            const auto layer = find(weight_of.at(op.outputs.at(0)));
            if (layer != layers.end()) add_pass(*layer, op, graph);
        }
        if (op.kind == Kind::conv2d_backprop_input) {
            const auto layer = find(op.inputs.at(0));
            if (layer == layers.end()) continue;
            add_pass(*layer, op, graph);
            layer->work.input_gradient = true;
        }
    }
    return layers;
}

[[noreturn]] void refuse_unmeasured(const ExperimentSpec& spec, const std::string& why) {
    throw DataError(
        fmt::format("$.strategy.shares: \"{}\" needs the speeds of the nodes, and {}; `convoy calibrate` "
                    "measures them for "
                    "$.calibration, or give a list with one weight for each node",
                    spec.strategy.shares.by == SharesBy::optimal ? "optimal" : "published", why));
}

/// The seconds of one kernel and its channel's tail on a node.
double seconds_of(const ExperimentSpec& spec, const Candidate& layer, const NodeSpeeds& node,
                  std::int64_t batch) {
    constexpr double giga = 1e9;
    const auto speeds = speeds_in_layer(node, layer.layer);
    const auto seconds = [&](double flops, const std::optional<double>& gflops) {
        if (flops == 0.0) return 0.0;
        const auto speed = gflops ? gflops : speeds.convolution_gflops;
        if (!speed) refuse_unmeasured(spec, "$.calibration has none of convolutions");
        return flops * static_cast<double>(batch) / (*speed * giga);
    };
    const auto moving = [&](double bytes, const std::optional<double>& gb_s) {
        return gb_s ? bytes * static_cast<double>(batch) / (*gb_s * giga) : 0.0;
    };
    auto tail = moving(layer.tail.elementwise, node.elementwise_gb_s);
    for (const auto& [pool, bytes] : layer.tail.pooling)
        tail += moving(bytes, pooling_speed(speeds_in_layer(node, pool)));
    return tail + seconds(layer.flops.forward, speeds.convolution_gflops) +
           seconds(layer.flops.filter_gradient, speeds.filter_gradient_gflops) +
           seconds(layer.flops.input_gradient, speeds.input_gradient_gflops);
}

std::int64_t blocks_of(const ConvolutionWork& work, std::int64_t kernels) {
    return (kernels + work.block - 1) / work.block;
}

std::vector<KernelCost> costs_of(const ExperimentSpec& spec, const Candidate& layer,
                                 const ClusterModel& cluster, std::int64_t batch) {
    constexpr double bits = 8.0;
    const auto in_blocks = blocks_of(layer.work, layer.work.kernels) * layer.work.block;
    const auto share_of_blocks = static_cast<double>(layer.work.kernels) / static_cast<double>(in_blocks);
    std::vector<KernelCost> costs;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) {
        const auto& node = cluster.nodes.at(static_cast<std::size_t>(rank));
        // The layer was measured with all its blocks, of which the last may lack kernels.
        KernelCost cost{.seconds = share_of_blocks * seconds_of(spec, layer, node.speeds, batch)};
        if (rank > 0) {
            const auto rate = [&](std::int64_t from) {
                const auto link = link_between(cluster, from, rank);
                return link.bits_per_s ? std::optional(*link.bits_per_s / bits) : std::nullopt;
            };
            cost.bytes_per_s = rate(0);
            cost.chain_bytes_per_s = rate(rank - 1);
        }
        costs.push_back(cost);
    }
    return costs;
}

/// The published rule: in proportion to speed.
std::vector<double> speeds_of(std::span<const KernelCost> costs) {
    std::vector<double> speeds;
    for (const auto& cost : costs) speeds.push_back(1.0 / cost.seconds);
    return speeds;
}

double seconds_on(const ConvolutionWork& work, const KernelCost& rank, std::int64_t kernels) {
    return static_cast<double>(blocks_of(work, kernels) * work.block) * rank.seconds;
}

/// The counts where the master has so many blocks, and these workers the others, so that the last worker ends
/// as early as it can. The last block of the last of them lacks the kernels that there are not.
std::vector<std::int64_t> dealt(const ConvolutionWork& work, std::span<const KernelCost> ranks,
                                std::int64_t own, std::span<const std::size_t> workers) {
    std::vector<std::int64_t> blocks(ranks.size(), 0);
    blocks[0] = own;
    const auto all = blocks_of(work, work.kernels);
    double speed = 0.0;
    for (const auto rank : workers) speed += 1.0 / ranks[rank].seconds;
    auto left = all - own;
    for (const auto rank : workers) {  // a block less than in proportion to speed, or two
        const auto share = static_cast<double>(all - own) / ranks[rank].seconds / speed;
        blocks[rank] = std::max<std::int64_t>(0, static_cast<std::int64_t>(share) - 1);
        left -= blocks[rank];
    }
    for (; left > 0; --left) {  // each to the rank that would end first with it
        ++blocks[*std::ranges::min_element(workers, {}, [&](std::size_t rank) {
            return static_cast<double>(blocks[rank] + 1) * ranks[rank].seconds;
        })];
    }
    std::vector<std::int64_t> counts;
    for (const auto some : blocks) counts.push_back(some * work.block);
    const auto last =
        std::ranges::find_if(counts.rbegin(), counts.rend(), [](auto count) { return count > 0; });
    *last -= all * work.block - work.kernels;
    return counts;
}

}  // namespace

double predicted_seconds(const ConvolutionWork& work, std::span<const KernelCost> ranks,
                         std::span<const std::int64_t> counts) {
    const double inputs = work.input_bytes * (work.input_gradient ? 2.0 : 1.0);
    double along_chain = 0.0, with_master = 0.0, slowest = 0.0;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const auto kernels = static_cast<double>(counts[rank]);
        slowest = std::max(slowest, seconds_on(work, ranks[rank], counts[rank]));
        if (rank == 0 || counts[rank] == 0) continue;
        const auto& to_master = ranks[rank].bytes_per_s;
        const auto& in_chain = ranks[rank].chain_bytes_per_s;
        if (in_chain) along_chain = std::max(along_chain, inputs / *in_chain);
        if (to_master) with_master += 2.0 * kernels * work.channel_bytes / *to_master;
    }
    const auto sub_batches = static_cast<double>(work.sub_batches);
    const auto longest = std::max({along_chain, with_master, slowest});
    return longest + (along_chain + with_master + slowest - longest) / sub_batches;
}

std::vector<std::int64_t> optimal_counts(const ConvolutionWork& work, std::span<const KernelCost> ranks) {
    std::vector<std::size_t> workers(ranks.size() - 1);
    std::iota(workers.begin(), workers.end(), std::size_t{1});
    std::ranges::stable_sort(workers, {}, [&](std::size_t rank) { return ranks[rank].seconds; });
    std::vector<std::int64_t> best(ranks.size(), 0);
    best[0] = work.kernels;
    auto least = predicted_seconds(work, ranks, best);
    const auto blocks = blocks_of(work, work.kernels);
    const auto of_block = static_cast<double>(work.block) * ranks[0].seconds;
    for (std::size_t count = 1; count <= workers.size(); ++count) {
        // The master alone must not take longer than the best so far.
        for (std::int64_t own = 1; own <= blocks && static_cast<double>(own) * of_block < least; ++own) {
            auto counts = dealt(work, ranks, own, std::span(workers).first(count));
            const auto seconds = predicted_seconds(work, ranks, counts);
            if (seconds >= least) continue;
            least = seconds;
            best = std::move(counts);
        }
    }
    return best;
}

std::vector<std::int64_t> proportional_counts(std::int64_t kernels, std::span<const double> weights) {
    const auto total = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::int64_t> counts;
    std::vector<double> remainders;
    for (const auto weight : weights) {
        const auto exact = static_cast<double>(kernels) * weight / total;
        counts.push_back(static_cast<std::int64_t>(std::floor(exact)));
        remainders.push_back(exact - std::floor(exact));
    }
    for (auto left = kernels - std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); left > 0;
         --left) {
        const auto most = std::ranges::max_element(remainders);
        ++counts[static_cast<std::size_t>(most - remainders.begin())];
        *most = -1.0;
    }
    if (counts.front() > 0) return counts;
    --*std::ranges::max_element(counts);
    counts.front() = 1;
    return counts;
}

KernelCounts kernel_counts(const ExperimentSpec& spec, const Graph& training, const ClusterModel& cluster,
                           std::int64_t batch) {
    if (spec.gradient_clipping && spec.gradient_clipping->by == ClipBy::norm) {
        throw DataError(
            "$.gradient_clipping.by: \"norm\" needs whole gradients, and filter_parallel distributes those "
            "of "
            "kernels");
    }
    KernelCounts found;
    if (spec.world_size() == 1) return found;
    const auto& shares = spec.strategy.shares;
    if (shares.by != SharesBy::weights && spec.measured() == nullptr)
        refuse_unmeasured(spec, "nothing was measured");
    for (const auto& layer : candidates(training, spec, batch)) {
        std::vector<std::int64_t> counts;
        if (shares.by == SharesBy::weights) {
            counts = proportional_counts(layer.work.kernels, shares.weights);
        } else {
            const auto costs = costs_of(spec, layer, cluster, batch);
            counts = shares.by == SharesBy::optimal
                         ? optimal_counts(layer.work, costs)
                         : proportional_counts(layer.work.kernels, speeds_of(costs));
        }
        if (counts.front() < layer.work.kernels) found[layer.weight] = std::move(counts);
    }
    return found;
}

}  // namespace convoy
