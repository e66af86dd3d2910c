#include "spec/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/count_text.hpp"
#include "base/json_text.hpp"
#include "spec/array_rules.hpp"
#include "spec/failure_rules.hpp"
#include "spec/fault_rules.hpp"
#include "spec/same_bits.hpp"
#include "spec/sections.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// Statistics of all nodes take nodes that do the same steps on whole shares.
void check_statistics(const ExperimentSpec& spec, const Place& place) {
    const auto& strategy = spec.strategy;
    if (strategy.batch_norm_statistics == BatchNormStatistics::per_node) return;
    const auto refuse = [&](const std::string& with) {
        place.key("strategy")
            .key("batch_norm_statistics")
            .refuse(strategy_field(strategy, "batch_norm_statistics"), "\"per_node\" with " + with);
    };
    if (strategy.name == StrategyName::local_sgd || strategy.name == StrategyName::independent)
        refuse(fmt::format("the strategy {}, whose nodes train apart",
                           describe(strategy_field(strategy, "name"))));
    if (spec.micro_batch_size) refuse("$.micro_batch_size, which cuts shares into batches of their own");
}

/// Whole steps take sums that all end within the step and leave nothing else behind.
void check_commit(const StrategySpec& strategy, const Place& place) {
    const auto refuse = [&](const char* with) {
        place.key("commit").refuse(strategy_field(strategy, "commit"),
                                   std::string("\"by_bucket\" with ") + with);
    };
    if (strategy.overlap_forward) refuse("overlap_forward, which updates each bucket in the next step");
    if (strategy.wire_type == WireType::top_k)
        refuse("the wire type \"top_k\", which changes residuals while gradients are sent");
}

/// Workers that do not wait for each other take no part in sums over all workers.
void check_staleness(const ExperimentSpec& spec, const Place& place) {
    if (!is_asynchronous(spec.strategy)) return;
    const auto staleness = place.key("strategy").key("staleness");
    const auto refuse = [&](const char* with) {
        staleness.refuse(strategy_field(spec.strategy, "staleness"), std::string("0 with ") + with);
    };
    if (spec.strategy.batch_norm_statistics == BatchNormStatistics::synchronised)
        refuse(
            "$.strategy.batch_norm_statistics \"synchronised\", for which all workers take a step together");
    if (spec.gradient_clipping && spec.gradient_clipping->by == ClipBy::global_norm)
        refuse(
            "$.gradient_clipping by \"global_norm\", which needs the gradients of all servers at once; "
            "\"norm\" and \"value\" do not");
    if (spec.strategy.overlap_forward)
        refuse("$.strategy.overlap_forward: a worker has all new values before its next step");
    if (spec.micro_batch_size) refuse("$.micro_batch_size, whose sums take all workers");
}

/// How the nodes of a strategy treat gradients, where that is no all-reduce of all of them.
const char* treatment_of_gradients(StrategyName strategy) {
    switch (strategy) {
        case StrategyName::parameter_server: return "push whole gradients";
        case StrategyName::hybrid: return "do not sum all gradients";
        case StrategyName::filter_parallel: return "hold kernels of their own";
        default: return "sum no gradients";
    }
}

/// Sparse gradients take nodes that sum gradients, by an algorithm that gathers pieces.
void check_top_k(const StrategySpec& strategy, const Place& place) {
    if (strategy.name != StrategyName::ring_allreduce) {
        place.key("wire_type")
            .refuse(strategy_field(strategy, "wire_type"),
                    fmt::format("\"float32\" with the strategy {}, whose nodes {}",
                                describe(strategy_field(strategy, "name")),
                                treatment_of_gradients(strategy.name)));
    }
    if (strategy.algorithm != AllReduceAlgorithm::automatic && strategy.algorithm != AllReduceAlgorithm::ring)
        place.key("algorithm")
            .refuse(strategy_field(strategy, "algorithm"),
                    "\"auto\" or \"ring\" with the wire type \"top_k\", whose pieces are gathered");
}

/// What micro-batches leave room for: exact sums of gradients over all examples of a batch.
void check_micro_batches(const ExperimentSpec& spec, const Place& place) {
    const auto strategy = place.key("strategy");
    if (spec.strategy.name != StrategyName::ring_allreduce && spec.strategy.name != StrategyName::local)
        strategy.key("name").refuse(strategy_field(spec.strategy, "name"),
                                    "\"ring_allreduce\" or \"local\" with $.micro_batch_size");
    if (spec.strategy.wire_type != WireType::float32)
        strategy.key("wire_type")
            .refuse(strategy_field(spec.strategy, "wire_type"), "\"float32\" with $.micro_batch_size");
    const auto count = micro_batches_of_batch(spec);
    if (count > most_micro_batches)
        place.key("micro_batch_size")
            .refuse(*spec.micro_batch_size,
                    fmt::format("one that cuts a batch into at most {}, not {}", most_micro_batches, count));
}

/// Each node has one stage of one replica, and each micro-batch an example.
void check_stages(const ExperimentSpec& spec, const Place& place) {
    const auto& strategy = spec.strategy;
    const bool splits = strategy.name == StrategyName::model_split;
    const auto replicas = splits ? strategy.replicas : 1;
    if (spec.world_size() % replicas != 0)
        place.key("replicas")
            .refuse(replicas, fmt::format("a divisor of the number of nodes, {}", spec.world_size()));
    const auto examples = spec.batch_size / replicas;  // of a replica, at least
    if (splits && strategy.micro_batches > examples)
        place.key("micro_batches")
            .refuse(strategy.micro_batches,
                    replicas == 1
                        ? fmt::format("at most one for each of the {} examples of a batch", examples)
                        : fmt::format("at most one for each of the {} examples of a replica", examples));
    const auto expected = splits ? spec.world_size() / replicas : 0;
    const auto& stages = strategy.stages;
    const auto count = stages.count > 0 ? stages.count : std::ssize(stages.layers);
    const bool whole = splits && expected == 1 && stages.empty();
    if (whole || count == expected) return;
    place.key("stages").refuse(
        strategy_field(strategy, "stages"),
        splits ? fmt::format("{0}, or one list of layer names for each of the {0} nodes{1}", expected,
                             replicas == 1 ? "" : " of a replica")
               : "none but with the strategy \"model_split\"");
}

/// Each node has one weight.
void check_balance(const ExperimentSpec& spec, const Place& place) {
    const auto& balance = spec.strategy.balance;
    if (balance.by != BalanceBy::weights || std::ssize(balance.weights) == spec.world_size()) return;
    place.key("balance").refuse(strategy_field(spec.strategy, "balance"),
                                fmt::format("one weight for each of the {} nodes", spec.world_size()));
}

/// The master has kernels of every convolution.
void check_shares(const ExperimentSpec& spec, const Place& place) {
    constexpr std::int64_t most_sharing = 64;
    const auto& shares = spec.strategy.shares;
    if (spec.strategy.name == StrategyName::filter_parallel && spec.world_size() > most_sharing)
        place.key("name").refuse("filter_parallel", fmt::format("at most {} nodes, and there are {}",
                                                                most_sharing, spec.world_size()));
    if (shares.by != SharesBy::weights) return;
    if (std::ssize(shares.weights) != spec.world_size())
        place.key("shares").refuse(strategy_field(spec.strategy, "shares"),
                                   fmt::format("one weight for each of the {} nodes", spec.world_size()));
    if (shares.weights.front() == 0.0)
        place.key("shares").item(0).refuse(0.0,
                                           "more than 0: the first node, the master, has kernels of all");
}

/// Parts of unequal sizes take unequal shares.
void check_sharding(const ExperimentSpec& spec, const Place& place) {
    const bool equal = spec.strategy.balance.by == BalanceBy::equal && spec.world_size() > 1;
    if (spec.sharding.scheme != ShardingScheme::proportional || !equal) return;
    place.key("scheme").refuse("proportional",
                               "\"contiguous\" where $.strategy.balance is \"equal\"; \"speed\" or weights "
                               "there make the parts proportional");
}

/// ranks: the nodes, and the servers that a strategy adds.
void check_host_count(const ClusterSpec& cluster, std::int64_t nodes, std::int64_t ranks,
                      const Place& place) {
    if (cluster.hosts && *cluster.hosts > ranks) {
        const auto servers =
            ranks > nodes ? fmt::format(" and {}", count_text(ranks - nodes, "server")) : std::string();
        place.key("hosts").refuse(*cluster.hosts,
                                  fmt::format("at most one for each node{}, and there are {} nodes{}",
                                              ranks > nodes ? " and server" : "", nodes, servers));
    }
    if (cluster.hosts_for(nodes) > most_hosts) {
        place.key("hosts").refuse(json(),
                                  fmt::format("a number up to {}, as there are {} nodes", most_hosts, nodes));
    }
}

/// A node may name a host that is there.
void check_placement(const ExperimentSpec& spec, const Place& place) {
    for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
        const auto& host = spec.nodes[i].host;
        const auto hosts = std::min(spec.host_count(), spec.world_size());  // those beyond are for servers
        if (!host || (spec.cluster && *host < hosts)) continue;
        place.item(i).key("host").refuse(
            *host, spec.cluster ? fmt::format("one of the {} hosts, counted from 0", hosts)
                                : std::string("null without $.cluster"));
    }
}

/// What the reference kernels have no choice of.
void check_reference_kernels(const KernelSpec& kernels, const Place& place) {
    if (kernels.convolution != ConvolutionAlgorithm::automatic)
        place.key("convolution").refuse("direct", "\"auto\", or \"onednn\" as the kernels' name");
    if (kernels.parameter_layout != ParameterLayout::automatic)
        place.key("parameter_layout").refuse("plain", "\"auto\", or \"onednn\" as the kernels' name");
    if (kernels.compute_type != ComputeType::float32)
        place.key("compute_type").refuse("bfloat16", "\"float32\", or \"onednn\" as the kernels' name");
}

/// Nodes with kernels of their own run the same programs, and sum parameters that lie alike.
void check_unlike_kernels(const ExperimentSpec& spec, const Place& place) {
    const auto same = [&](const NodeSpec& node) {
        return node.kernels.value_or(spec.kernels) == spec.kernels;
    };
    if (std::ranges::all_of(spec.nodes, same)) return;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) {
        const auto& kernels = spec.kernels_of(rank);
        const bool own = spec.node(rank).kernels.has_value();
        const auto where = own ? place.key("nodes").item(static_cast<std::size_t>(rank)).key("kernels")
                               : place.key("kernels");
        const auto expect_shared = [&](const char* field, bool found, bool shared) {
            if (found != shared) {
                where.key(field).refuse(found,
                                        fmt::format("{} as $.kernels: it shapes the programs, which all "
                                                    "nodes run",
                                                    shared));
            }
        };
        expect_shared("fusion", kernels.fusion, spec.kernels.fusion);
        expect_shared("recompute", kernels.recompute, spec.kernels.recompute);
        if (kernels.name == KernelLibrary::onednn && kernels.parameter_layout != ParameterLayout::plain)
            where.key("parameter_layout")
                .refuse("auto",
                        "\"plain\" where nodes have different kernels, since sums need equal layouts");
        if (own && kernels.name == KernelLibrary::xtensor) check_reference_kernels(kernels, where);
    }
}

/// More nodes than can all be connected with each other.
void check_not_pairwise(const StrategySpec& strategy, std::int64_t nodes, const Place& place) {
    const auto expected = fmt::format("another algorithm for more than {} nodes", pairwise_max_nodes);
    if (strategy.algorithm == AllReduceAlgorithm::pairwise)
        place.key("algorithm").refuse("pairwise", expected);
    const auto& measured = strategy.calibration;
    if (!measured || measured->nodes != nodes) return;
    const bool anywhere =
        measured->beyond == AllReduceAlgorithm::pairwise ||
        std::ranges::count(measured->ranges, AllReduceAlgorithm::pairwise, &AlgorithmRange::algorithm) > 0;
    if (anywhere) place.key("calibration").refuse("pairwise", expected);
}

/// MPI sums floats over all nodes of a run that MPI started, and no node of it may be lost.
void check_mpi(const ExperimentSpec& spec, const Place& place) {
    const auto& strategy = spec.strategy;
    if (strategy.name != StrategyName::ring_allreduce)
        place.key("strategy")
            .key("algorithm")
            .refuse("mpi", fmt::format("another algorithm with the strategy {}; MPI_Allreduce is for "
                                       "\"ring_allreduce\", whose nodes sum all gradients together",
                                       describe(strategy_field(strategy, "name"))));
    const auto refuse = [&](const std::string& with) {
        place.key("strategy").key("algorithm").refuse("mpi", "another algorithm with " + with);
    };
    if (strategy.wire_type != WireType::float32)
        refuse(fmt::format("the wire type {}: MPI_Allreduce sends and sums float32",
                           describe(strategy_field(strategy, "wire_type"))));
    if (spec.micro_batch_size)
        refuse("$.micro_batch_size: MPI_Allreduce sums floats, and rounds in an order of its own");
    if (spec.failures.policy != FailurePolicy::abort)
        refuse(fmt::format("the policy \"{}\": the nodes of an MPI job end together",
                           spec.failures.policy == FailurePolicy::shrink ? "shrink" : "restart"));
    if (spec.cluster) refuse("$.cluster: the nodes of emulated hosts are not started by MPI");
    const auto drops = [](const FaultSpec& fault) { return fault.kind == FaultKind::drop_link; };
    if (std::ranges::any_of(spec.faults.at_steps, drops))
        refuse("the fault \"drop_link\": convoy cannot close the connections of MPI");
}

}  // namespace

void check_together(const ExperimentSpec& spec, const Place& place) {
    const auto nodes = spec.world_size();
    check_failures(spec, place);
    check_faults(spec, place.key("faults"));
    if (spec.batch_size < nodes) {
        place.key("batch_size")
            .refuse(spec.batch_size,
                    fmt::format("at least 1 example per node, and there are {} nodes", nodes));
    }
    if (spec.strategy.name == StrategyName::local && nodes != 1) {
        place.key("strategy")
            .key("name")
            .refuse("local", fmt::format("\"ring_allreduce\" for {} nodes, or 1 node", nodes));
    }
    if (spec.strategy.commit == CommitPoint::by_step) check_commit(spec.strategy, place.key("strategy"));
    if (nodes > pairwise_max_nodes) check_not_pairwise(spec.strategy, nodes, place.key("strategy"));
    check_statistics(spec, place);
    check_staleness(spec, place);
    if (spec.micro_batch_size) check_micro_batches(spec, place);
    check_stages(spec, place.key("strategy"));
    check_balance(spec, place.key("strategy"));
    check_shares(spec, place.key("strategy"));
    check_sharding(spec, place.key("sharding"));
    if (spec.strategy.algorithm == AllReduceAlgorithm::mpi) check_mpi(spec, place);
    if (spec.strategy.wire_type == WireType::top_k) check_top_k(spec.strategy, place.key("strategy"));
    if (spec.cluster) check_host_count(*spec.cluster, nodes, spec.rank_count(), place.key("cluster"));
    check_placement(spec, place.key("nodes"));
    if (spec.kernels.name == KernelLibrary::xtensor)
        check_reference_kernels(spec.kernels, place.key("kernels"));
    check_unlike_kernels(spec, place);
    if (spec.dataset.npy) check_arrays(*spec.dataset.npy, place.key("dataset"));
}

}  // namespace convoy
