#include "nn/zoo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "nn/case_studies.hpp"
#include "nn/cifar_networks.hpp"
#include "nn/resnet.hpp"

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

/// LeNet-5 for images 1x28x28, 61,706 parameters: tanh, average pooling without weights of its own, and a
/// softmax where the original has radial basis functions. LeCun et al., Proceedings of the IEEE 86(11), 1998,
/// figure 2.
ModelSpec lenet5() {
    constexpr auto tanh = Activation::tanh;
    const PoolLayer halve{.kind = PoolKind::average, .size = 2, .stride = 2};
    return {.name = "lenet5",
            .input = {1, 28, 28},
            .layers = {{"conv2d_1",
                        Conv2dLayer{.filters = 6, .kernel = 5, .padding = Padding::same, .activation = tanh}},
                       {"average_pool_1", halve},
                       {"conv2d_2", Conv2dLayer{.filters = 16, .kernel = 5, .activation = tanh}},
                       {"average_pool_2", halve},
                       {"flatten_1", FlattenLayer{}},
                       {"dense_1", DenseLayer{.units = 120, .activation = tanh}},
                       {"dense_2", DenseLayer{.units = 84, .activation = tanh}},
                       {"dense_3", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

/// Two convolutions, each with ReLU and max pooling, and a classifier, for images 3x32x32: the networks in
/// which the kernels of a convolution are spread over nodes. Marques, Falcao, Alexandre, "Distributed
/// learning of CNNs on heterogeneous CPU/GPU architectures", Applied Artificial Intelligence 32, 2018.
ModelSpec two_conv(const std::vector<std::int64_t>& filters, std::int64_t kernel) {
    const PoolLayer halve{.kind = PoolKind::max, .size = 2, .stride = 2};
    const auto convolution = [&](std::int64_t count) {
        return Conv2dLayer{.filters = count, .kernel = kernel, .activation = Activation::relu};
    };
    return {.name = "two_conv",
            .input = {3, 32, 32},
            .layers = {{"conv2d_1", convolution(filters.at(0))},
                       {"max_pool_1", halve},
                       {"conv2d_2", convolution(filters.at(1))},
                       {"max_pool_2", halve},
                       {"flatten_1", FlattenLayer{}},
                       {"dense_1", DenseLayer{.units = 10, .activation = Activation::softmax}}},
            .filters = filters,
            .kernel = kernel};
}

/// Refuses what a model of this name does not ask for.
void check_fields(const ModelSpec& model) {
    const bool residual = model.name == "resnet_v1" || model.name == "resnet_v2";
    const bool normalises =
        residual || model.name == "vgg11" || model.name == "vgg16" || model.name == "mobilenet_v1";
    const bool has_kernels = model.name == "two_conv";
    const auto refuse = [&](const char* field) {
        throw DataError(fmt::format("$.model.{}: {} has no such choice", field, model.name));
    };
    if (model.depth && !residual) refuse("depth");
    if (model.batch_norm_momentum && !normalises) refuse("batch_norm_momentum");
    if (!model.filters.empty() && !has_kernels) refuse("filters");
    if (model.kernel && !has_kernels) refuse("kernel");
    if (model.classes && model.name != "redshift" && model.name != "landcover") refuse("classes");
}

/// The depth asked for, or 56 (v2) or 20 (v1).
std::int64_t depth_of(const ModelSpec& model, std::int64_t layers_per_block, std::int64_t otherwise) {
    const auto depth = model.depth.value_or(otherwise);
    if (depth > 2 && (depth - 2) % layers_per_block == 0 && depth <= most_depth) return depth;
    throw DataError(
        fmt::format("$.model.depth: found {}, expected {}n + 2 for an n of at least 1, {} at most", depth,
                    layers_per_block, most_depth));
}

/// A network with the momentum asked for in all its batch normalisations.
ModelSpec with_momentum(ModelSpec network, const ModelSpec& asked) {
    network.batch_norm_momentum = asked.batch_norm_momentum;
    if (!asked.batch_norm_momentum) return network;
    for (auto& layer : network.layers) {
        if (auto* norm = std::get_if<BatchNormLayer>(&layer.layer))
            norm->momentum = *asked.batch_norm_momentum;
    }
    return network;
}

ModelSpec parametric_two_conv(const ModelSpec& model) {
    const auto filters = model.filters.empty() ? std::vector<std::int64_t>{50, 500} : model.filters;
    if (filters.size() != 2) {
        throw DataError(fmt::format(
            "$.model.filters: found {} numbers, expected one for each of 2 convolutions", filters.size()));
    }
    return two_conv(filters, model.kernel.value_or(5));
}

}  // namespace

ModelSpec resolve_model(const ModelSpec& model) {
    if (!model.layers.empty()) return model;
    if (std::ranges::count(model_names(), model.name) > 0) check_fields(model);
    if (model.name == "mnist_cnn") return mnist_cnn();
    if (model.name == "lenet5") return lenet5();
    if (model.name == "two_conv") return parametric_two_conv(model);
    if (model.name == "resnet_v1") return with_momentum(resnet_v1(depth_of(model, 6, 20)), model);
    if (model.name == "resnet_v2") return with_momentum(resnet_v2(depth_of(model, 9, 56)), model);
    if (model.name == "alexnet_cifar") return alexnet_cifar();
    if (model.name == "vgg11") return with_momentum(vgg11(), model);
    if (model.name == "vgg16") return with_momentum(vgg16(), model);
    if (model.name == "redshift") return redshift(model.classes.value_or(800));
    if (model.name == "landcover") return landcover(model.classes.value_or(15));
    if (model.name == "mobilenet_v1") return with_momentum(mobilenet_v1(), model);
    throw DataError(fmt::format("$.model: found \"{}\", expected one of {}, or inline layers", model.name,
                                fmt::join(model_names(), ", ")));
}

std::vector<std::string> model_names() {
    return {"mnist_cnn", "lenet5", "two_conv",     "resnet_v1", "resnet_v2", "alexnet_cifar",
            "vgg11",     "vgg16",  "mobilenet_v1", "redshift",  "landcover"};
}

}  // namespace convoy
