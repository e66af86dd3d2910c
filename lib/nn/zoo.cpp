#include "nn/zoo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"

namespace convoy {
namespace {

/// The network of Keras' mnist_cnn example, 1,199,882 parameters.
ModelSpec mnist_cnn() {
    return {.name = "mnist_cnn",
            .input = {1, 28, 28},
            .layers = {{"conv2d_1", Conv2dLayer{.filters = 32, .kernel = 3, .activation = Activation::relu}},
                       {"conv2d_2", Conv2dLayer{.filters = 64, .kernel = 3, .activation = Activation::relu}},
                       {"max_pool_1", PoolLayer{.kind = PoolKind::max, .size = 2, .stride = 2}},
                       {"dropout_1", DropoutLayer{.rate = 0.25}},
                       {"flatten_1", FlattenLayer{}},
                       {"dense_1", DenseLayer{.units = 128, .activation = Activation::relu}},
                       {"dropout_2", DropoutLayer{.rate = 0.5}},
                       {"dense_2", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

}  // namespace

ModelSpec resolve_model(const ModelSpec& model) {
    if (!model.layers.empty()) return model;
    if (model.name == "mnist_cnn") return mnist_cnn();
    throw DataError(fmt::format("$.model: found \"{}\", expected one of {}, or inline layers", model.name,
                                fmt::join(model_names(), ", ")));
}

std::vector<std::string> model_names() {
    return {"mnist_cnn"};
}

}  // namespace convoy
