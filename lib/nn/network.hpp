#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "spec/model_spec.hpp"
#include "spec/optimizer_spec.hpp"

namespace convoy {

/// What a training step does with one batch: data, forward, loss, backward, and one update per parameter.
/// Shapes are per example; the batch size stays open. Operators are plain: strategies cut and join them, and
/// graph/fusion.hpp folds them after that. input: the parts of one example. classes: the number of labels.
/// Throws DataError that names the layer that does not fit its input.
Graph training_graph(const ModelSpec& model, const OptimizerSpec& optimizer, const ExampleShape& input,
                     std::int64_t classes);

/// The same network without dropout: forward, loss and the probabilities of every class (the graph's last
/// tensor).
Graph evaluation_graph(const ModelSpec& model, const ExampleShape& input, std::int64_t classes);

/// One layer, for a table of the network.
struct LayerSummary {
    std::string name;
    std::string type;
    std::vector<std::string> inputs;  ///< where they are not the layer before
    Shape output;                     ///< per example
    std::int64_t parameters = 0;
    std::int64_t trained = 0;              ///< of the parameters; the others are moving statistics
    std::int64_t forward_flops = 0;        ///< per example, of convolutions and matrix products
    std::int64_t activation_elements = 0;  ///< per example, of all results of its operators, before fusion
};

/// The layers in order, with output shapes. Throws as training_graph does.
std::vector<LayerSummary> summarize_layers(const ModelSpec& model, const ExampleShape& input,
                                           std::int64_t classes);

}  // namespace convoy
