#include "train/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/dataset.hpp"
#include "nn/network.hpp"
#include "nn/zoo.hpp"
#include "report/columns.hpp"
#include "report/render.hpp"
#include "train/node_programs.hpp"

namespace convoy {
namespace {

constexpr std::int64_t activation_element_bytes = 4;

Table layers_table(const std::vector<LayerSummary>& layers) {
    Table table{.name = "layers",
                .title = "Layers (shapes and FLOPs per example, forward)",
                .columns = {columns::words("layer"), columns::words("type"), columns::words("output"),
                            columns::count("parameters"), columns::count("trained"), columns::count("flops"),
                            columns::count("activation bytes"), columns::words("reads")},
                .rows = {}};
    for (const auto& layer : layers) {
        table.rows.push_back({layer.name, layer.type, layer.output.text(), layer.parameters, layer.trained,
                              layer.forward_flops, layer.activation_elements * activation_element_bytes,
                              fmt::format("{}", fmt::join(layer.inputs, ", "))});
    }
    return table;
}

/// One line for the whole network, as Keras ends its summary.
std::string sums(const Graph& graph, const std::vector<LayerSummary>& layers, std::int64_t share) {
    std::int64_t flops = 0;
    std::int64_t activations = 0;
    for (const auto& layer : layers) {
        flops += layer.forward_flops;
        activations += layer.activation_elements * activation_element_bytes;
    }
    const auto parameters = graph.parameter_elements();
    const auto trained = graph.trained_elements();
    return fmt::format(
        "{} parameters, {} trained, {} not; forward: {} FLOPs and {} bytes of activations an example\n"
        "activations of {} examples: at most {:.1f} MB before operators are folded and memory is shared\n",
        parameters, trained, parameters - trained, flops, activations, share,
        static_cast<double>(activations * share) * 1e-6);
}

std::string totals(const Program& program, const RunPlan& plan) {
    std::int64_t flops = 0;
    for (const auto& op : program.operators) flops += product_flops(program, op);
    std::int64_t gradient_bytes = 0;
    for (const auto& bucket : program.buckets) gradient_bytes += bucket.elements * 4;
    const auto sent =
        program.world_size > 1 ? 2 * (program.world_size - 1) * gradient_bytes / program.world_size : 0;
    return fmt::format(
        "{} steps, {} an epoch\n"
        "per step and node: {:.3f} GFLOP in products, {} bytes sent (ring: 2(n-1)/n of {} gradient bytes)\n"
        "bounds: {:.1f} ms at 100 GFLOP/s, {:.1f} ms at 1 Gbit/s\n",
        plan.steps, plan.train.steps_per_epoch(), static_cast<double>(flops) * 1e-9, sent, gradient_bytes,
        static_cast<double>(flops) / 100e9 * 1e3, static_cast<double>(sent) * 8 / 1e9 * 1e3);
}

}  // namespace

std::string describe(const ExperimentSpec& spec) {
    const auto& info = dataset_info(spec.dataset.name);
    const auto model = resolve_model(spec.model);
    const auto layers = summarize_layers(model, info.example_shape, info.classes);
    const auto graph = training_graph_of(spec, info.example_shape, info.classes);
    const auto plan = plan_run(spec, split_sizes(spec.dataset, info));
    const ProgramSet programs(spec, graph, std::span(&plan.train, 1), true);
    const auto program = programs.of_rank(0).front();
    return fmt::format("{}: {} on {}, {} parameters, {} nodes, batch {}\n\n{}{}\n{}\n{}", spec.name,
                       model.name, spec.dataset.name, graph.parameter_elements(), spec.world_size(),
                       spec.batch_size, to_text(layers_table(layers)), sums(graph, layers, program.batch),
                       to_text(program), totals(program, plan));
}

}  // namespace convoy
