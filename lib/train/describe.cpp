#include "train/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

#include "data/dataset.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "report/columns.hpp"
#include "report/render.hpp"
#include "train/node_programs.hpp"

namespace convoy {
namespace {

/// Of one element of an activation.
std::int64_t activation_bytes(const KernelSpec& kernels) {
    return kernels.compute_type == ComputeType::bfloat16 ? 2 : 4;
}

Table layers_table(const std::vector<LayerSummary>& layers, std::int64_t element_bytes) {
    Table table{.name = "layers",
                .title = "Layers (shapes and FLOPs per example, forward)",
                .columns = {columns::words("layer"), columns::words("type"), columns::words("output"),
                            columns::count("parameters"), columns::count("trained"), columns::count("flops"),
                            columns::count("activation bytes"), columns::words("reads")},
                .rows = {}};
    for (const auto& layer : layers) {
        table.rows.push_back({layer.name, layer.type, layer.output.text(), layer.parameters, layer.trained,
                              layer.forward_flops, layer.activation_elements * element_bytes,
                              fmt::format("{}", fmt::join(layer.inputs, ", "))});
    }
    return table;
}

/// One line for the whole network, as Keras ends its summary.
std::string sums(const Graph& graph, const std::vector<LayerSummary>& layers, std::int64_t element_bytes,
                 std::int64_t share) {
    std::int64_t flops = 0;
    std::int64_t activations = 0;
    for (const auto& layer : layers) {
        flops += layer.forward_flops;
        activations += layer.activation_elements * element_bytes;
    }
    const auto parameters = graph.parameter_elements();
    const auto trained = graph.trained_elements();
    return fmt::format(
        "{} parameters, {} trained, {} not; forward: {} FLOPs and {} bytes of activations an example\n"
        "activations of {} examples: at most {:.1f} MB before operators are folded and memory is shared\n",
        parameters, trained, parameters - trained, flops, activations, share,
        static_cast<double>(activations * share) * 1e-6);
}

/// What a bucket's elements take on the wire.
std::int64_t wire_bytes(const CollectiveAttributes& collective) {
    if (collective.exact) return 8;
    return collective.options.wire_type == WireType::float32 ? 4 : 2;
}

/// What a rank exchanges with the others, in bytes.
struct Exchange {
    std::int64_t summed = 0;  ///< of buckets that are summed on the way
    std::int64_t pieces = 0;  ///< of this rank's part of those whose pieces are gathered

    /// With the algorithms that send least.
    [[nodiscard]] std::int64_t sent(std::int64_t ranks) const {
        return 2 * (ranks - 1) * summed / ranks + (ranks - 1) * pieces;
    }
    [[nodiscard]] std::string text() const {
        const auto ring = fmt::format("ring: 2(n-1)/n of {} bytes summed", summed);
        if (pieces == 0) return ring;
        const auto gathered = fmt::format("n-1 times {} bytes of gradients and their places", pieces);
        return summed == 0 ? gathered : fmt::format("{}, {}", gathered, ring);
    }
};

/// Adds what a program exchanges, times so often.
void add(Exchange& exchange, const Program& program, std::int64_t times) {
    constexpr std::int64_t entry_bytes = 8;
    for (const auto& op : program.operators) {
        if (op.kind != OperatorKind::all_reduce_wait) continue;
        const auto bucket = std::ranges::find(program.buckets, op.inputs.at(0), &Bucket::storage);
        const auto& collective = op.as<CollectiveAttributes>();
        if (collective.options.wire_type == WireType::top_k) {
            const auto elements = static_cast<std::uint64_t>(bucket->elements);
            exchange.pieces +=
                times * entry_bytes * static_cast<std::int64_t>(collective.options.top_k.count_of(elements));
        } else {
            exchange.summed += times * bucket->elements * wire_bytes(collective);
        }
    }
}

/// Whether an algorithm sends more than is needed (auto does, for what is small).
bool sends_more(AllReduceAlgorithm algorithm) {
    return algorithm == AllReduceAlgorithm::tree || algorithm == AllReduceAlgorithm::recursive_doubling ||
           algorithm == AllReduceAlgorithm::hierarchical;
}

/// What a rank sends, and what that is made of.
std::string sent_text(const Exchange& exchange, const ExperimentSpec& spec) {
    return fmt::format("{}{} bytes sent ({})", sends_more(spec.strategy.algorithm) ? "at least " : "",
                       exchange.sent(spec.world_size()), exchange.text());
}

/// A program of a step of one node, and how often the step runs it.
struct Call {
    const Program& program;
    std::int64_t times = 1;
};

/// What a byte on a link costs: of the slowest of the emulated hosts' links, or of 1 Gbit/s where they have
/// no limit.
double link_mbit(const ExperimentSpec& spec) {
    std::optional<double> slowest;
    for (std::int64_t host = 0; spec.cluster && host < spec.host_count(); ++host) {
        const auto rate = spec.cluster->host(host).link_mbit;
        if (rate) slowest = std::min(*rate, slowest.value_or(*rate));
    }
    return slowest.value_or(1000.0);
}

std::string limits_text(const HostSpec& host) {
    const auto limit = [](const auto& value, const char* unit) {
        return value ? fmt::format("{} {}", *value, unit) : fmt::format("any {}", unit);
    };
    return fmt::format("a link of {} each way, {} and {}", limit(host.link_mbit, "Mbit/s"),
                       limit(host.cpu, "cores"), limit(host.memory_mb, "MB"));
}

/// One line on the emulated hosts, and one more for each where they differ; empty where there are none.
std::string hosts_line(const ExperimentSpec& spec) {
    if (!spec.cluster) return "";
    const auto& cluster = *spec.cluster;
    std::vector<std::string> places;
    for (std::int64_t rank = 0; rank < spec.world_size(); ++rank)
        places.push_back(fmt::format("{}", spec.host_of(rank)));
    const auto placement = fmt::format("node by node on host {}\n", fmt::join(places, ", "));
    if (cluster.own_limits.empty())
        return fmt::format("{} emulated hosts, each with {}; {}", spec.host_count(),
                           limits_text(cluster.host(0)), placement);
    std::string text = fmt::format("{} emulated hosts; {}", spec.host_count(), placement);
    for (std::int64_t host = 0; host < spec.host_count(); ++host)
        text += fmt::format("host {}: {}\n", host, limits_text(cluster.host(host)));
    return text;
}

/// calls: all of one step of one node.
std::string totals(std::span<const Call> calls, const RunPlan& plan, const ExperimentSpec& spec) {
    std::int64_t flops = 0;
    Exchange exchange;
    for (const auto& [program, times] : calls) {
        for (const auto& op : program.operators) flops += times * product_flops(program, op);
        add(exchange, program, times);
    }
    const auto sent = static_cast<double>(exchange.sent(spec.world_size()));
    return fmt::format(
        "{} steps, {} an epoch\n"
        "per step and node: {:.3f} GFLOP in products, {}\n"
        "bounds: {:.1f} ms at 100 GFLOP/s, {:.1f} ms at {} Gbit/s\n",
        plan.steps, plan.train.steps_per_epoch(), static_cast<double>(flops) * 1e-9,
        sent_text(exchange, spec), static_cast<double>(flops) / 100e9 * 1e3,
        sent * 8 / (link_mbit(spec) * 1e6) * 1e3, link_mbit(spec) / 1e3);
}

/// One line on the averages of weights between steps.
std::string average_line(const Program& average, const ExperimentSpec& spec) {
    Exchange exchange;
    add(exchange, average, 1);
    return fmt::format("every {} steps an average of weights: {}\n", spec.strategy.average_every,
                       sent_text(exchange, spec));
}

}  // namespace

std::string describe(const ExperimentSpec& spec, const std::filesystem::path& data_folder) {
    const auto info = dataset_info(spec.dataset, data_folder);
    const auto model = resolve_model(spec.model);
    const auto layers = summarize_layers(model, info.example_shape, info.classes);
    const auto graph = training_graph_of(spec, info.example_shape, info.classes);
    const auto plan = plan_run(spec, split_sizes(spec.dataset, info));
    const ProgramSet programs(spec, graph, std::span(&plan.train, 1), true);
    const auto element_bytes = activation_bytes(spec.kernels);
    const auto& step = programs.step(0, plan.train.batch_examples(0));
    std::vector<Call> calls;
    std::string program_texts;
    for (const auto index : std::set(step.begin(), step.end())) {
        calls.push_back({programs.of_rank(0).at(index), std::ranges::count(step, index)});
        if (calls.back().times > 1) program_texts += fmt::format("{} times in a step: ", calls.back().times);
        program_texts += to_text(calls.back().program);
    }
    std::string between;
    if (const auto average = programs.average_behind(0, 0)) {
        const auto& program = programs.of_rank(0).at(*average);
        program_texts += "between steps: " + to_text(program);
        between = average_line(program, spec);
    }
    return fmt::format("{}: {} on {}, {} parameters, {} node{}, batch {}\n{}\n{}{}\n{}\n{}{}", spec.name,
                       model.name, spec.dataset.name, graph.parameter_elements(), spec.world_size(),
                       spec.world_size() == 1 ? "" : "s", spec.batch_size, hosts_line(spec),
                       to_text(layers_table(layers, element_bytes)),
                       sums(graph, layers, element_bytes, calls.front().program.batch), program_texts,
                       totals(calls, plan, spec), between);
}

}  // namespace convoy
