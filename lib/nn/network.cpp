#include "nn/network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "graph/gradients.hpp"
#include "graph/operator_cost.hpp"
#include "nn/layer_builder.hpp"
#include "nn/optimizers.hpp"

namespace convoy {
namespace {

struct BuiltNetwork {
    Graph graph;
    TensorId labels{};
    TensorId logits{};
    std::vector<LayerSummary> layers;
};

void check_ends(const ModelSpec& model, const ExampleShape& input, std::int64_t classes,
                const Shape& output) {
    if (model.input != input) {
        throw DataError(fmt::format("$.model.input: {} takes {}, but the dataset's examples are {}",
                                    model.name, model.input.text(), input.text()));
    }
    if (output != Shape{classes}) {
        throw DataError(
            fmt::format("$.model.layers[{}]: {} gives {}, expected one value for each of {} classes",
                        model.layers.size() - 1, model.layers.back().name, output.text(), classes));
    }
}

/// Every input, and the result of every layer so far, by its name.
using Results = std::map<std::string, TensorId>;

/// The names of a network's inputs, quoted.
std::vector<std::string> names_of(const ExampleShape& inputs) {
    std::vector<std::string> names;
    for (const auto& input : inputs.inputs()) names.push_back(fmt::format("\"{}\"", input.name));
    return names;
}

/// before: what a layer reads that names nothing; absent for the first layer of a network with several
/// inputs.
std::vector<TensorId> inputs_of(const ModelSpec& model, std::size_t position, std::optional<TensorId> before,
                                const Results& results) {
    const auto& layer = model.layers[position];
    if (layer.inputs.empty() && !before) {
        throw DataError(
            fmt::format("$.model.layers[{}].inputs: missing, expected the inputs that {} reads, of {}",
                        position, layer.name, fmt::join(names_of(model.input), ", ")));
    }
    std::vector<TensorId> inputs;
    for (const auto& name : layer.inputs) {
        const auto found = results.find(name);
        if (found == results.end()) {
            throw DataError(
                fmt::format("$.model.layers[{}].inputs: found \"{}\", expected the name of a layer above {}, "
                            "or {}",
                            position, name, layer.name, fmt::join(names_of(model.input), ", ")));
        }
        inputs.push_back(found->second);
    }
    if (inputs.empty()) inputs.push_back(*before);
    return inputs;
}

/// The names of all layers and inputs that a layer reads by name.
std::set<std::string> names_read(const ModelSpec& model) {
    std::set<std::string> names;
    for (const auto& layer : model.layers) names.insert(layer.inputs.begin(), layer.inputs.end());
    return names;
}

/// A layer whose result nothing reads would have parameters without gradients; an input that nothing reads,
/// data that is prepared in vain.
void check_used(const ModelSpec& model) {
    const auto names = names_read(model);
    for (const auto& input : model.input.inputs()) {
        if (model.input.inputs().size() == 1 || names.contains(input.name)) continue;
        throw DataError(
            fmt::format("$.model.input.{0}: no layer reads {0}: name it in one's \"inputs\"", input.name));
    }
    for (std::size_t i = 0; i + 1 < model.layers.size(); ++i) {
        if (model.layers[i + 1].inputs.empty() || names.contains(model.layers[i].name)) continue;
        throw DataError(fmt::format("$.model.layers[{}]: no layer reads {}: name it in another's \"inputs\"",
                                    i, model.layers[i].name));
    }
}

/// The elements of the parameters from this one on: all of them, or those that are trained.
std::int64_t elements_from(const Graph& graph, std::size_t first, bool only_trained) {
    Checked sum;
    for (const auto& parameter : std::span(graph.parameters).subspan(first))
        if (parameter.trained || !only_trained) sum += graph.tensor(parameter.value).shape.elements();
    return sum.value();
}

std::int64_t activation_elements(const Graph& graph, std::size_t first) {
    Checked sum;
    for (std::size_t i = first; i < graph.tensors.size(); ++i) {
        const auto& tensor = graph.tensors[i];
        if (tensor.batched && tensor.role == TensorRole::activation) sum += tensor.shape.elements();
    }
    return sum.value();
}

/// Of one example, in the products among the operators from this one on.
std::int64_t product_flops(const Graph& graph, std::size_t first) {
    Checked sum;
    for (const auto& op : std::span(graph.operators).subspan(first)) {
        if (is_product(op.kind)) sum += operator_cost(op, graph.tensors).flops;
    }
    return sum.value();
}

std::vector<TensorId> add_inputs(Graph& graph, const ExampleShape& inputs, Results& results) {
    std::vector<TensorId> tensors;
    for (const auto& input : inputs.inputs()) {
        tensors.push_back(graph.add_tensor({input.name, input.shape, TensorRole::input, true}));
        results[input.name] = tensors.back();
    }
    return tensors;
}

void add_result(Results& results, const ModelSpec& model, std::size_t position, TensorId result) {
    const auto& name = model.layers[position].name;
    if (results.emplace(name, result).second) return;
    throw DataError(fmt::format("$.model.layers[{}].name: found \"{}\", expected a name that no input has",
                                position, name));
}

/// One thing of the batch.
Operator read_operator(std::string name, std::vector<TensorId> result, const DatasetAttributes& attributes) {
    return {OperatorKind::dataset, std::move(name), Pass::input, {}, std::move(result), attributes, {}};
}

/// The operators that read inputs and labels.
void add_data(Graph& graph, const ExampleShape& inputs, const std::vector<TensorId>& tensors,
              TensorId labels) {
    DatasetAttributes place{.thing = ReadThing::values, .first = 0, .row = inputs.elements()};
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto& input = inputs.inputs()[i];
        graph.operators.push_back(
            read_operator(tensors.size() == 1 ? "batch" : input.name, {tensors[i]}, place));
        place.first += input.shape.elements();
    }
    graph.operators.push_back(read_operator("labels", {labels}, {.thing = ReadThing::labels}));
}

/// The operator that reads example numbers, behind the other data, if an operator draws by example.
void add_numbers(Graph& graph) {
    auto& operators = graph.operators;
    const auto draws = [](const Operator& op) { return draws_by_example(op.kind); };
    if (std::ranges::none_of(operators, draws)) return;
    const auto behind_data =
        std::ranges::find_if(operators, [](const Operator& op) { return op.kind != OperatorKind::dataset; });
    operators.insert(behind_data, read_operator("example numbers", {}, {.thing = ReadThing::numbers}));
}

/// Data and forward, up to the values before the last softmax (which the loss takes in).
BuiltNetwork build_forward(const ModelSpec& model, const ExampleShape& input, std::int64_t classes,
                           bool training) {
    if (model.layers.empty()) throw InternalError("a network without layers: resolve_model comes first");
    BuiltNetwork network;
    auto& graph = network.graph;
    Results results;
    const auto fed = add_inputs(graph, model.input, results);
    network.labels = graph.add_tensor({"labels", {}, TensorRole::input, true});
    std::optional<TensorId> current;
    if (fed.size() == 1) current = fed.front();
    add_data(graph, model.input, fed, network.labels);

    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        LayerBuilder builder(graph, model.layers[i], i, training, i + 1 == model.layers.size());
        const auto parameters_before = graph.parameters.size();
        const auto read = inputs_of(model, i, current, results);
        const auto tensors_before = graph.tensors.size();
        const auto operators_before = graph.operators.size();
        current = builder.build(read);
        add_result(results, model, i, *current);
        network.layers.push_back({.name = model.layers[i].name,
                                  .type = builder.type(),
                                  .inputs = model.layers[i].inputs,
                                  .output = graph.tensor(*current).shape,
                                  .parameters = elements_from(graph, parameters_before, false),
                                  .trained = elements_from(graph, parameters_before, true),
                                  .forward_flops = product_flops(graph, operators_before),
                                  .activation_elements = activation_elements(graph, tensors_before)});
    }
    check_ends(model, input, classes, graph.tensor(*current).shape);
    check_used(model);
    add_numbers(graph);
    network.logits = *current;
    return network;
}

void add_loss(BuiltNetwork& network, bool with_gradient) {
    auto& graph = network.graph;
    std::vector<TensorId> outputs;
    if (with_gradient) {
        TensorInfo gradient = graph.tensor(network.logits);
        gradient.name += "/gradient";
        outputs.push_back(graph.add_tensor(gradient));
    }
    outputs.push_back(graph.add_tensor({"metrics", {2}, TensorRole::metrics, false}));
    graph.operators.push_back({OperatorKind::softmax_cross_entropy,
                               "loss",
                               Pass::forward,
                               {network.logits, network.labels},
                               outputs,
                               std::monostate{},
                               {}});
    if (with_gradient) append_gradients(graph, network.logits, outputs[0]);
}

/// The L2 penalty of the kernels, beside the loss: its gradient is not among those that nodes add up, but is
/// added to their sum by the updates.
void add_penalty(Graph& graph) {
    std::vector<TensorId> terms;
    const auto apply = [&](OperatorKind kind, const std::string& name, std::vector<TensorId> inputs,
                           TensorInfo output, Attributes attributes) {
        const auto id = graph.add_tensor(std::move(output));
        graph.operators.push_back(
            {kind, name, Pass::forward, std::move(inputs), {id}, std::move(attributes), {}});
        return id;
    };
    for (const auto& parameter : graph.parameters) {
        if (parameter.l2 == 0.0) continue;
        const TensorInfo value = graph.tensor(parameter.value);
        const auto squares = apply(OperatorKind::square, value.name, {parameter.value},
                                   {value.name + "/square", value.shape, TensorRole::activation, false}, {});
        const auto sum = apply(OperatorKind::sum, value.name, {squares},
                               {value.name + "/sum", {1}, TensorRole::activation, false}, {});
        terms.push_back(apply(OperatorKind::scale, value.name, {sum},
                              {value.name + "/l2", {1}, TensorRole::activation, false},
                              ScaleAttributes{parameter.l2}));
    }
    if (!terms.empty()) {
        apply(OperatorKind::add_n, "l2", std::move(terms), {"l2", {1}, TensorRole::penalty, false}, {});
    }
}

}  // namespace

Graph training_graph(const ModelSpec& model, const OptimizerSpec& optimizer, const ExampleShape& input,
                     std::int64_t classes) {
    auto network = build_forward(model, input, classes, true);
    add_loss(network, true);
    add_penalty(network.graph);
    append_updates(network.graph, optimizer);
    return std::move(network.graph);
}

Graph evaluation_graph(const ModelSpec& model, const ExampleShape& input, std::int64_t classes) {
    auto network = build_forward(model, input, classes, false);
    add_loss(network, false);
    auto& graph = network.graph;
    const auto probabilities = graph.add_tensor({"probabilities", {classes}, TensorRole::activation, true});
    graph.operators.push_back({OperatorKind::softmax,
                               "probabilities",
                               Pass::forward,
                               {network.logits},
                               {probabilities},
                               std::monostate{},
                               {}});
    return std::move(graph);
}

std::vector<LayerSummary> summarize_layers(const ModelSpec& model, const ExampleShape& input,
                                           std::int64_t classes) {
    return build_forward(model, input, classes, true).layers;
}

}  // namespace convoy
