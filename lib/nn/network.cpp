#include "nn/network.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "graph/fusion.hpp"
#include "graph/gradients.hpp"
#include "nn/layer_builder.hpp"
#include "nn/optimizers.hpp"

namespace convoy {
namespace {

struct Network {
    Graph graph;
    TensorId labels{};
    TensorId logits{};
    std::vector<LayerSummary> layers;
};

void check_ends(const ModelSpec& model, const Shape& input, std::int64_t classes, const Shape& output) {
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

/// Dataset and forward, up to the values before the last softmax (which the loss takes in).
Network build_forward(const ModelSpec& model, const Shape& input, std::int64_t classes, bool training) {
    if (model.layers.empty()) throw InternalError("a network without layers: resolve_model comes first");
    Network network;
    auto& graph = network.graph;
    const auto images = graph.add_tensor({"images", model.input, TensorRole::input, true});
    network.labels = graph.add_tensor({"labels", {}, TensorRole::input, true});
    graph.operators.push_back(
        {OperatorKind::dataset, "batch", Pass::input, {}, {images, network.labels}, std::monostate{}, {}});

    auto current = images;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        LayerBuilder builder(graph, model.layers[i], i, training, i + 1 == model.layers.size());
        const auto parameters_before = graph.parameter_elements();
        current = builder.build(current);
        network.layers.push_back({model.layers[i].name, builder.type(), graph.tensor(current).shape,
                                  graph.parameter_elements() - parameters_before, builder.forward_flops()});
    }
    check_ends(model, input, classes, graph.tensor(current).shape);
    network.logits = current;
    return network;
}

void add_loss(Network& network, bool with_gradient) {
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

}  // namespace

Graph training_graph(const ModelSpec& model, const OptimizerSpec& optimizer, const Shape& input,
                     std::int64_t classes, bool fusion) {
    auto network = build_forward(model, input, classes, true);
    add_loss(network, true);
    if (fusion) fuse(network.graph);
    append_updates(network.graph, optimizer);
    return std::move(network.graph);
}

Graph evaluation_graph(const ModelSpec& model, const Shape& input, std::int64_t classes, bool fusion) {
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
    if (fusion) fuse(graph);
    return std::move(graph);
}

std::vector<LayerSummary> summarize_layers(const ModelSpec& model, const Shape& input, std::int64_t classes) {
    return build_forward(model, input, classes, true).layers;
}

}  // namespace convoy
