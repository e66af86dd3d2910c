#include "strategy/balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.hpp"
#include "graph/operator_name.hpp"
#include "plan/step_cost.hpp"
#include "program/cost.hpp"
#include "program/program.hpp"
#include "strategy/tuning.hpp"

namespace convoy {
namespace {

/// Operators that have a speed of their own. The work of pooling and of elementwise operators is bytes, of
/// products FLOPs.
enum class WorkKind : std::uint8_t {
    convolution,
    filter_gradient,
    input_gradient,
    matmul,
    elementwise,
    pooling
};
constexpr std::size_t work_kinds = 6;
using Work = std::array<double, work_kinds>;

WorkKind work_kind(OperatorKind kind) {
    switch (kind) {
        case OperatorKind::conv2d:
        case OperatorKind::fused_conv2d: return WorkKind::convolution;
        case OperatorKind::conv2d_backprop_filter:
        case OperatorKind::fused_conv2d_backprop_filter: return WorkKind::filter_gradient;
        case OperatorKind::conv2d_backprop_input: return WorkKind::input_gradient;
        default: break;
    }
    if (is_pooling(kind)) return WorkKind::pooling;
    return is_product(kind) ? WorkKind::matmul : WorkKind::elementwise;
}

/// One measured speed: its name in a calibration, and the work in a second at 1.
struct Speed {
    std::string_view name;
    std::optional<double> NodeSpeeds::*value;
};
/// By WorkKind. All are 10^9 a second.
constexpr std::array<Speed, work_kinds> speed_of_kind{
    {{"convolution_gflops", &NodeSpeeds::convolution_gflops},
     {"filter_gradient_gflops", &NodeSpeeds::filter_gradient_gflops},
     {"input_gradient_gflops", &NodeSpeeds::input_gradient_gflops},
     {"matmul_gflops", &NodeSpeeds::matmul_gflops},
     {"elementwise_gb_s", &NodeSpeeds::elementwise_gb_s},
     {"pooling_gb_s", &NodeSpeeds::pooling_gb_s}}};

std::optional<double> speed_of(const NodeSpeeds& speeds, WorkKind kind) {
    if (kind == WorkKind::pooling) return pooling_speed(speeds);
    return speeds.*speed_of_kind.at(static_cast<std::size_t>(kind)).value;
}

double work_of(WorkKind kind, const OperatorCost& cost) {
    const bool is_bytes = kind == WorkKind::elementwise || kind == WorkKind::pooling;
    return static_cast<double>(is_bytes ? cost.moved_bytes() : cost.flops);
}

Work work_of_step(const Graph& training, const KernelSpec& kernels, std::int64_t batch) {
    auto program = instantiate(training, ProgramKind::train, {.batch = batch, .layout_batch = batch});
    tune(program, kernels);
    Work work{};
    for (const auto& op : program.operators) {
        const auto kind = work_kind(op.kind);
        const auto cost = cost_of(program, op, activation_bytes(kernels));
        work.at(static_cast<std::size_t>(kind)) += work_of(kind, cost);
    }
    return work;
}

/// The work that grows with the batch.
Work work_of_example(const Graph& training, const KernelSpec& kernels) {
    const auto one = work_of_step(training, kernels, 1);
    auto work = work_of_step(training, kernels, 2);
    for (std::size_t i = 0; i < work.size(); ++i) work.at(i) -= one.at(i);
    return work;
}

[[noreturn]] void fail_unmeasured(const ExperimentSpec& spec, const std::string& problem) {
    throw DataError(
        fmt::format("$.strategy.balance: found {}, but {}; measure the nodes with \"convoy calibrate SPEC "
                    "--out calibration.json\", and set $.calibration to \"calibration.json\"",
                    spec.strategy.balance.by == BalanceBy::speed ? "\"speed\"" : "weights", problem));
}

/// Whether the calibration has speeds of these nodes.
bool has_speeds(const ExperimentSpec& spec) {
    const auto* measured = spec.measured();
    return measured != nullptr && std::ssize(measured->nodes) == spec.world_size();
}

/// Speeds of a core that nothing was measured of. Only their ratios to each
/// other, and to the rates of the links, matter.
constexpr double default_gflops = 20.0, default_gb_s = 5.0;

double slowest(const std::vector<double>& seconds, const std::vector<std::int64_t>& shares) {
    double most = 0.0;
    for (std::size_t i = 0; i < seconds.size(); ++i)
        most = std::max(most, seconds[i] * static_cast<double>(shares.at(i)));
    return most;
}

}  // namespace

std::optional<double> seconds_of(const Program& program, const Operator& op, const NodeSpeeds& speeds,
                                 std::int64_t activation_bytes) {
    constexpr double giga = 1e9;
    const auto kind = work_kind(op.kind);
    const auto cost = cost_of(program, op, activation_bytes);
    const auto work = work_of(kind, cost);
    if (work == 0.0) return 0.0;
    const auto in_layer = speeds_in_layer(speeds, layer_of_operator(op.name));
    const auto speed = speed_of(in_layer, kind);
    if (!speed) return std::nullopt;
    return work / (*speed * giga);
}

NodeSpeeds speeds_or_defaults(const ClusterModel& cluster, std::int64_t rank) {
    const auto& node = cluster.nodes.at(static_cast<std::size_t>(rank));
    const auto& host = cluster.hosts.at(static_cast<std::size_t>(node.host));
    const auto sharing = std::ranges::count(cluster.nodes, node.host, &NodeModel::host);
    const auto cores = host.cores ? *host.cores / static_cast<double>(sharing) : 1.0;
    auto speeds = node.speeds;
    for (auto* speed : {&speeds.convolution_gflops, &speeds.filter_gradient_gflops,
                        &speeds.input_gradient_gflops, &speeds.matmul_gflops})
        *speed = speed->value_or(default_gflops * cores);
    speeds.elementwise_gb_s = speeds.elementwise_gb_s.value_or(default_gb_s * cores);
    return speeds;
}

std::vector<double> seconds_of_example(const ExperimentSpec& spec, const Graph& training,
                                       const ClusterModel& cluster) {
    constexpr double giga = 1e9;
    if (spec.measured() == nullptr) fail_unmeasured(spec, "no speeds were measured");
    if (!has_speeds(spec)) {
        fail_unmeasured(spec, fmt::format("$.calibration has the speeds of {} nodes, and there are {}",
                                          spec.measured()->nodes.size(), spec.world_size()));
    }
    std::vector<double> seconds;
    KernelSpec kernels = spec.kernels;
    auto work = work_of_example(training, kernels);
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank) {
        if (spec.kernels_of(rank) != kernels) {  // most nodes have the same
            kernels = spec.kernels_of(rank);
            work = work_of_example(training, kernels);
        }
        const auto& node = cluster.nodes.at(static_cast<std::size_t>(rank));
        auto& sum = seconds.emplace_back(0.0);
        for (std::size_t i = 0; i < work.size(); ++i) {
            if (work.at(i) <= 0.0) continue;
            const auto speed = speed_of(node.speeds, static_cast<WorkKind>(i));
            if (!speed) {
                fail_unmeasured(spec, fmt::format("$.calibration.nodes[{}] has no {}, which this network "
                                                  "needs",
                                                  rank, speed_of_kind.at(i).name));
            }
            sum += work.at(i) / (*speed * giga);
        }
    }
    return seconds;
}

std::vector<double> batch_weights(const ExperimentSpec& spec, const Graph& training,
                                  const ClusterModel& cluster, std::int64_t replicas) {
    const auto& balance = spec.strategy.balance;
    if (balance.by == BalanceBy::equal || replicas < spec.world_size() || replicas == 1) return {};
    if (balance.by == BalanceBy::weights) return balance.weights;
    auto weights = seconds_of_example(spec, training, cluster);
    for (auto& weight : weights) weight = 1.0 / weight;
    return weights;
}

std::optional<BatchBalance> batch_balance(const ExperimentSpec& spec, const Graph& training,
                                          const Plan& plan) {
    const auto& batches = plan.data().train;
    if (spec.strategy.balance.by == BalanceBy::equal || batches.replicas() < spec.world_size() ||
        batches.replicas() == 1)
        return std::nullopt;
    const EpochPlan equal({.examples = spec.batch_size,
                           .batch_size = spec.batch_size,
                           .replica_of_rank = one_replica_each(spec.world_size()),
                           .unit = spec.micro_batch_size.value_or(1)});
    BatchBalance balance{.shares = batches.splits().at(0), .equal_shares = equal.splits().at(0)};
    balance.shares.resize(balance.equal_shares.size());  // ranks behind the nodes take no examples
    if (!has_speeds(spec)) return balance;
    try {
        const auto seconds = seconds_of_example(spec, training, cluster_model(spec));
        balance.predicted_s = slowest(seconds, balance.shares);
        balance.predicted_equal_s = slowest(seconds, balance.equal_shares);
    } catch (const DataError&) {
        // Weights need no speeds, so a calibration of another network may lack some.
    }
    return balance;
}

}  // namespace convoy
