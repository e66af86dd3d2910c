#include "bench/node_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/version.hpp"
#include "graph/operator_name.hpp"

namespace convoy {
namespace {

/// Half of the training, and the additions, take so long at least: over many periods in which a processor
/// quota is dealt out.
constexpr Seconds shortest_measurement{1.5};
constexpr std::string_view elementwise_operator = "ElementwiseAdd";
constexpr std::string_view whole_training = "Training";
/// Of each of the two arrays: together more than caches hold.
constexpr std::size_t array_elements = std::size_t{8} << 20U;
/// Each element of both is read, and one of them is written.
constexpr double bytes_of_pass = 3.0 * sizeof(float) * array_elements;

void add_to(std::span<float> sums, std::span<const float> values) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
}

/// Adds one array to another, in as many parts as there are threads.
void add_in_parts(std::span<float> sums, std::span<const float> values, std::size_t parts) {
    std::vector<std::jthread> others;
    for (std::size_t part = 0; part < parts; ++part) {
        const auto first = sums.size() * part / parts;
        const auto count = sums.size() * (part + 1) / parts - first;
        const auto work = [&sums, &values, first, count] {
            add_to(sums.subspan(first, count), values.subspan(first, count));
        };
        if (part + 1 < parts) {
            others.emplace_back(work);
        } else {
            work();
        }
    }
}

OperatorRecord time_elementwise(std::int64_t rank, int threads) {
    std::vector<float> sums(array_elements, 1.0F);
    const std::vector<float> values(array_elements, 0.5F);
    add_in_parts(sums, values, static_cast<std::size_t>(threads));
    OperatorRecord record;
    record.node = rank;
    record.epoch = 2;
    record.operator_name = elementwise_operator;
    const auto began = Clock::now();
    do {
        add_in_parts(sums, values, static_cast<std::size_t>(threads));
        ++record.calls;
        record.total_us = since(began).count();
    } while (Clock::now() - began < shortest_measurement);
    record.mean_us = record.total_us / static_cast<double>(record.calls);
    return record;
}

OperatorRecord record_of(Seconds training) {
    OperatorRecord record;
    record.operator_name = whole_training;
    record.total_us = Microseconds(training).count();
    return record;
}

/// Work and the time that it took. The work of products is operations, of pooling bytes.
struct Sum {
    double work = 0.0, us = 0.0;
    /// 10^9 a second.
    [[nodiscard]] std::optional<double> giga() const {
        return work > 0.0 && us > 0.0 ? std::optional(work / us * 1e-3) : std::nullopt;
    }
};

/// Operators that have a speed of their own.
enum class OperatorClass : std::uint8_t { convolution, filter_gradient, input_gradient, matmul, pooling };

/// The class of a kind, as records name it.
std::optional<OperatorClass> class_of(std::string_view kind) {
    if (kind.starts_with("fused_")) kind.remove_prefix(6);
    if (kind == "conv2d") return OperatorClass::convolution;
    if (kind == "conv2d_backprop_filter") return OperatorClass::filter_gradient;
    if (kind == "conv2d_backprop_input") return OperatorClass::input_gradient;
    if (kind.starts_with("matmul")) return OperatorClass::matmul;
    if (kind.starts_with("max_pool") || kind.starts_with("average_pool")) return OperatorClass::pooling;
    return std::nullopt;
}

using Sums = std::map<OperatorClass, Sum>;

/// Speeds: NodeSpeeds or LayerSpeeds.
template <typename Speeds>
void set_speeds(Speeds& speeds, Sums& sums) {
    speeds.convolution_gflops = sums[OperatorClass::convolution].giga();
    speeds.filter_gradient_gflops = sums[OperatorClass::filter_gradient].giga();
    speeds.input_gradient_gflops = sums[OperatorClass::input_gradient].giga();
    speeds.matmul_gflops = sums[OperatorClass::matmul].giga();
    speeds.pooling_gb_s = sums[OperatorClass::pooling].giga();
}

}  // namespace

OperatorBench bench_of_node(const ExperimentSpec& spec, std::int64_t rank, int threads, std::int64_t steps) {
    OperatorBench bench{.spec = spec, .threads = threads, .steps = steps};
    bench.spec.kernels = spec.kernels_of(rank);
    const auto nodes = spec.world_size();
    bench.spec.batch_size = spec.batch_size / nodes + (rank < spec.batch_size % nodes ? 1 : 0);
    return bench;
}

Seconds longest_training(std::span<const OperatorRecord> rows) {
    Seconds longest{0.0};
    for (const auto& row : rows)
        if (row.operator_name == whole_training)
            longest = std::max(longest, Seconds(Microseconds(row.total_us)));
    return longest;
}

Seconds time_for_all(Seconds longest) {
    return std::max(longest, 2.0 * shortest_measurement);
}

void run_node_speeds(const SpeedMeasurement& how, const NodeAssignment& assignment, NodeReporter& reporter) {
    reporter.agree(
        {{topic::convoy, build_text()}, {topic::benchmark, fmt::format("calibrate {}", how.steps)}});
    NodeRecords records;
    auto bench = bench_of_node(assignment.spec, assignment.rank, assignment.threads, how.steps);
    bench.least_time = how.time.value_or(Seconds(0.0));
    auto timed = time_operators(bench, assignment.data_folder);
    records.operators = std::move(timed.rows);
    records.operators.push_back(record_of(timed.training));
    for (auto& row : records.operators) row.node = assignment.rank;
    if (how.time) records.operators.push_back(time_elementwise(assignment.rank, assignment.threads));
    reporter.records(std::move(records));
}

NodeSpeeds speeds_of(std::span<const OperatorRecord> rows) {
    NodeSpeeds speeds;
    Sums all;
    std::map<std::string, Sums> by_layer;
    for (const auto& row : rows) {
        if (row.operator_name == elementwise_operator && row.mean_us > 0.0)
            speeds.elementwise_gb_s = bytes_of_pass / row.mean_us * 1e-3;
        const auto found = class_of(row.kind);
        if (!found || !row.work) continue;
        const auto work = *found == OperatorClass::pooling ? row.work->moved_bytes() : row.work->flops;
        for (auto* sums : {&all, &by_layer[layer_of_operator(row.name)]}) {
            (*sums)[*found].work += static_cast<double>(work);
            (*sums)[*found].us += row.total_us;
        }
    }
    set_speeds(speeds, all);
    for (auto& [layer, sums] : by_layer) {
        speeds.layers.push_back({.layer = layer});
        set_speeds(speeds.layers.back(), sums);
    }
    return speeds;
}

}  // namespace convoy
