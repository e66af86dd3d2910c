#include "train/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/count_text.hpp"
#include "base/ranks_text.hpp"
#include "data/dataset.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "plan/node_classes.hpp"
#include "plan/step_cost.hpp"
#include "report/batch_shares.hpp"
#include "report/columns.hpp"
#include "report/render.hpp"
#include "spec/same_bits.hpp"
#include "strategy/balance.hpp"
#include "strategy/model_split.hpp"

namespace convoy {
namespace {

Table layers_table(const std::vector<LayerSummary>& layers, std::int64_t element_bytes) {
    Table table{.name = "layers",
                .title = "Layers (shapes and FLOPs per example, forward)",
                .columns = {columns::words("layer"), columns::words("type"), columns::words("output"),
                            columns::count("parameters"), columns::count("trained"), columns::count("flops"),
                            columns::count("activation bytes"), columns::words("reads")},
                .rows = {}};
    for (const auto& layer : layers) {
        table.rows.push_back({layer.name, layer.type, layer.output.text(), layer.parameters, layer.trained,
                              layer.forward_flops,
                              (Checked(layer.activation_elements) * element_bytes).value(),
                              fmt::format("{}", fmt::join(layer.inputs, ", "))});
    }
    return table;
}

/// One line for the whole network, as Keras ends its summary.
std::string sums(const Graph& graph, const std::vector<LayerSummary>& layers, std::int64_t element_bytes,
                 std::int64_t share) {
    Checked flops;
    Checked activations;
    for (const auto& layer : layers) {
        flops += layer.forward_flops;
        activations += Checked(layer.activation_elements) * element_bytes;
    }
    const auto parameters = graph.parameter_elements();
    const auto trained = graph.trained_elements();
    return fmt::format(
        "{} parameters, {} trained, {} not; forward: {} FLOPs and {} bytes of activations an example\n"
        "activations of {} examples: at most {:.1f} MB before operators are folded and memory is shared\n",
        parameters, trained, parameters - trained, flops.value(), activations.value(), share,
        static_cast<double>((activations * share).value()) * 1e-6);
}

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
    for (std::int64_t rank = 0; rank < spec.rank_count(); ++rank)
        places.push_back(fmt::format("{}", spec.host_of(rank)));
    const auto placement = fmt::format(
        "{} on host {}\n", spec.rank_count() > spec.world_size() ? "nodes, then servers," : "node by node",
        fmt::join(places, ", "));
    if (cluster.own_limits.empty())
        return fmt::format("{} emulated hosts, each with {}; {}", spec.host_count(),
                           limits_text(cluster.host(0)), placement);
    std::string text = fmt::format("{} emulated hosts; {}", spec.host_count(), placement);
    for (std::int64_t host = 0; host < spec.host_count(); ++host)
        text += fmt::format("host {}: {}\n", host, limits_text(cluster.host(host)));
    return text;
}

/// calls: all of one step of each of these ranks.
std::string totals(std::span<const Call> calls, std::span<const std::int64_t> ranks, const HostMap& hosts,
                   const ExperimentSpec& spec) {
    const auto cost = step_cost(calls, ranks.front(), hosts, activation_bytes(spec.kernels));
    const auto flops = static_cast<double>(cost.work.flops);
    const auto sent = static_cast<double>(cost.exchanged.sent_bytes);
    const auto link_bound = fmt::format(", {:.1f} ms at {} Gbit/s", sent * 8 / (link_mbit(spec) * 1e6) * 1e3,
                                        link_mbit(spec) / 1e3);
    return fmt::format(
        "per step and node: {:.3f} GFLOP, {:.1f} MB read, {:.1f} MB written, {}\n"
        "bounds: {:.1f} ms at 100 GFLOP/s{}\n",
        flops * 1e-9, static_cast<double>(cost.work.read_bytes) * 1e-6,
        static_cast<double>(cost.work.written_bytes) * 1e-6, sent_text(calls, ranks, hosts),
        flops / 100e9 * 1e3, cost.exchanged.known ? link_bound : "");
}

std::string data_text(const DataRole& data) {
    std::vector<std::string_view> things;
    if (data.values) things.emplace_back("values");
    if (data.labels) things.emplace_back("labels");
    if (data.numbers) things.emplace_back("example numbers");
    return fmt::format("reads {}\n", things.empty() ? "no data" : fmt::format("{}", fmt::join(things, ", ")));
}

std::string programs_text(const NodePlan& node, std::string_view when, const Sequence& sequence,
                          const HostMap& hosts) {
    std::string text;
    for (const auto index : sequence) {
        const auto& program = node.programs.at(index);
        text += fmt::format("{}: {}{}", when, to_text(program), exchange_lines(program, node.rank, hosts));
    }
    return text;
}

/// The programs for messages, of which those of the first peer stand for all.
std::string handlers_text(const NodePlan& node, const HostMap& hosts) {
    const auto& first = node.routine.handlers.front();
    const auto& most_ahead = node.routine.most_ahead;
    std::vector<std::int64_t> peers;
    for (const auto& handler : node.routine.handlers) peers.push_back(handler.peer);
    auto text = programs_text(node, "before a message", first.receive, hosts) +
                programs_text(node, "when the whole message is there", first.update, hosts) +
                programs_text(node, "when a message comes again that was handled", first.drop, hosts) +
                programs_text(node, "to answer it", first.answer, hosts) +
                programs_text(node, "when the whole answer is sent", first.sent, hosts);
    const auto which = peers.size() > 1
                           ? fmt::format("messages of {}, each with programs alike", ranks_text(peers))
                           : fmt::format("messages of {}", ranks_text(peers));
    const auto held = most_ahead
                          ? fmt::format(
                                "an answer waits while its rank is more than {} ahead of the "
                                "slowest",
                                count_text(*most_ahead, "step"))
                          : std::string("no answer waits, but at checkpoints and at the end of an epoch");
    return text + fmt::format("handles {}, in the order of arrival; {}\n", which, held);
}

/// The programs of one class of nodes, their exchanges, and the work of a step.
std::string class_text(const NodePlan& node, const NodeClass& nodes, const ExperimentSpec& spec) {
    const auto hosts = hosts_of(spec);
    const auto calls = calls_of_step(node);
    std::string text;
    if (!node.routine.handlers.empty()) text = handlers_text(node, hosts);
    for (const auto& [program, times] : calls) {
        if (!node.routine.handlers.empty()) break;
        if (times > 1) text += fmt::format("{} times in a step: ", times);
        text += to_text(program) + exchange_lines(program, node.rank, hosts);
    }
    std::string between;
    for (const auto average : node.routine.average) {
        const auto& program = node.programs.at(average);
        text += "between steps: " + to_text(program) + exchange_lines(program, node.rank, hosts);
        const std::vector<Call> once{{program}};
        between = fmt::format("every {} steps an average of weights: {}\n", node.routine.average_every,
                              sent_text(once, nodes.ranks, hosts));
    }
    return text + data_text(node.data) + totals(calls, nodes.ranks, hosts, spec) + between;
}

/// What the spec promises of bits, where it has micro-batches, and where the order of messages decides them.
std::string bits_text(const ExperimentSpec& spec) {
    std::string text;
    for (const auto& note : notes_on_bits(spec)) text += "warning: " + note + "\n";
    if (!spec.micro_batch_size) return text.empty() ? "" : text + "\n";
    if (!bits_depend_on_nodes(spec)) text += "the same bits for any number of nodes\n";
    return text + "\n";
}

/// The shares of a batch, where they are not equal.
std::string balance_text(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan) {
    const auto shares = batch_shares(spec, shape, plan);
    if (!shares) return "";
    const auto predicted = predicted_text(*shares);
    return shares_text(*shares) + "\n" + (predicted.empty() ? "" : predicted + "\n") + "\n";
}

/// All nodes, class by class. Where all are alike nothing is said about ranks.
std::string classes_text(const Plan& plan, const ExperimentSpec& spec) {
    const auto classes = node_classes(plan);
    std::string text;
    for (const auto& nodes : classes) {
        const auto node = plan.of(nodes.ranks.front());
        if (classes.size() > 1)
            text += fmt::format("{}{}, {}:\n", text.empty() ? "" : "\n", ranks_text(nodes.ranks), node.role);
        text += class_text(node, nodes, spec);
    }
    return text;
}

/// Bytes of a tensor in the header of a safetensors file, with a name of usual length, and of the rest of the
/// header.
constexpr std::uint64_t header_bytes_of_a_tensor = 256;
constexpr std::uint64_t other_header_bytes = 4096;

}  // namespace

std::optional<BatchShares> batch_shares(const ExperimentSpec& spec, const DataShape& shape,
                                        const Plan& plan) {
    constexpr double us_in_s = 1e6;
    const auto balance = batch_balance(spec, training_graph_of(spec, shape.example, shape.classes), plan);
    if (!balance) return std::nullopt;
    BatchShares shares{.by = spec.strategy.balance.by == BalanceBy::speed ? "speed" : "weights",
                       .shares = balance->shares,
                       .equal_shares = balance->equal_shares};
    if (balance->predicted_s) shares.predicted_us = *balance->predicted_s * us_in_s;
    if (balance->predicted_equal_s) shares.predicted_equal_us = *balance->predicted_equal_s * us_in_s;
    return shares;
}

std::string planned_pipeline(const ExperimentSpec& spec, const DataShape& shape) {
    if (spec.strategy.name != StrategyName::model_split) return "";
    return pipeline_text(spec, shape, training_graph_of(spec, shape.example, shape.classes),
                         cluster_model(spec));
}

std::uint64_t most_weights_bytes(const ExperimentSpec& spec, const DataShape& shape) {
    const auto graph = training_graph_of(spec, shape.example, shape.classes);
    return sizeof(float) * static_cast<std::uint64_t>(graph.parameter_elements()) +
           header_bytes_of_a_tensor * graph.parameters.size() + other_header_bytes;
}

std::vector<std::int64_t> ranks_that_save(const Plan& plan) {
    std::vector<std::int64_t> ranks;
    Checked saved;
    for (std::int64_t rank = 0; rank < plan.ranks(); ++rank) {
        const auto node = plan.of(rank);
        Checked all;
        bool saves = false;
        for (const auto& parameter : node.parameters) {
            all += parameter.value.shape.elements();
            if (!parameter.saved || !parameter.part) continue;
            saved += slice_shape(*parameter.part, parameter.value.shape).elements();
            saves = true;
        }
        if (saves) ranks.push_back(rank);
        if (saved >= all) break;
    }
    return ranks;
}

std::string describe_layers(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan) {
    const auto model = resolve_model(spec.model);
    const auto layers = summarize_layers(model, shape.example, shape.classes);
    const auto graph = training_graph_of(spec, shape.example, shape.classes);
    const auto element_bytes = activation_bytes(spec.kernels);
    const auto share = calls_of_step(plan.of(0)).front().program.batch;
    return fmt::format("{}: {} on {}, {} parameters, {}, batch {}\n{}\n{}{}", spec.name, model.name,
                       spec.dataset.name, graph.parameter_elements(), count_text(spec.world_size(), "node"),
                       spec.batch_size, hosts_line(spec), to_text(layers_table(layers, element_bytes)),
                       sums(graph, layers, element_bytes, share));
}

std::string describe(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan,
                     const RunNeed& need) {
    return fmt::format(
        "{}\n{}\n{}{}{}{}{} steps, {} an epoch\n", describe_layers(spec, shape, plan), need_text(need, spec),
        bits_text(spec), balance_text(spec, shape, plan),
        stages_text(spec, shape, training_graph_of(spec, shape.example, shape.classes), cluster_model(spec)) +
            planned_pipeline(spec, shape),
        classes_text(plan, spec), plan.data().steps, plan.data().train.steps_per_epoch());
}

}  // namespace convoy
