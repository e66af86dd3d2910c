#include "nn/layer_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "nn/window.hpp"

namespace convoy {

namespace {

Initializer of(KernelInitializer kernel) {
    return kernel == KernelInitializer::he_normal ? Initializer::he_normal : Initializer::glorot_uniform;
}

/// Whether a layer along so many axes can read this: images C,H,W, or sequences C,L, which are C,1,L.
template <int axes>
bool has_axes(const Shape& input) {
    return input.rank() == 3 && (axes == 2 || input[1] == 1);
}

template <int axes>
const char* axes_text() {
    return axes == 2 ? "C,H,W" : "C,L (that is C,1,L)";
}

}  // namespace

TensorId LayerBuilder::build(std::span<const TensorId> inputs) {
    try {
        return add_layer(inputs);
    } catch (const SizeError& error) {
        fail(error.what());
    }
}

TensorId LayerBuilder::add_layer(std::span<const TensorId> inputs) {
    return std::visit(
        [&](const auto& layer) -> TensorId {
            using Layer = std::decay_t<decltype(layer)>;
            if constexpr (std::is_same_v<Layer, AddLayer>) {
                return sum(inputs, layer);
            } else if constexpr (std::is_same_v<Layer, ConcatLayer>) {
                return side_by_side(inputs);
            } else {
                if (inputs.size() != 1) fail(fmt::format("takes one input, found {}", inputs.size()));
                return add(inputs.front(), layer);
            }
        },
        spec_.layer);
}

std::string LayerBuilder::type() const {
    struct Name {
        std::string operator()(const Conv1dLayer&) const { return "conv1d"; }
        std::string operator()(const Conv2dLayer&) const { return "conv2d"; }
        std::string operator()(const DenseLayer&) const { return "dense"; }
        std::string operator()(const PoolLayer& l) const {
            return l.kind == PoolKind::max ? "max_pool" : "average_pool";
        }
        std::string operator()(const Pool1dLayer& l) const {
            return l.kind == PoolKind::max ? "max_pool1d" : "average_pool1d";
        }
        std::string operator()(const GlobalAveragePoolLayer&) const { return "global_average_pool"; }
        std::string operator()(const DropoutLayer&) const { return "dropout"; }
        std::string operator()(const FlattenLayer&) const { return "flatten"; }
        std::string operator()(const ActivationLayer&) const { return "activation"; }
        std::string operator()(const BatchNormLayer&) const { return "batch_norm"; }
        std::string operator()(const AddLayer&) const { return "add"; }
        std::string operator()(const ConcatLayer&) const { return "concat"; }
    };
    return std::visit(Name{}, spec_.layer);
}

template <int axes>
WindowAttributes LayerBuilder::window_over(const Shape& input, const char* name, std::int64_t size,
                                           std::int64_t stride, Padding padding) const {
    // A sequence has one row.
    const Extents sizes{axes == 1 ? 1 : size, size};
    const Extents strides{axes == 1 ? 1 : stride, stride};
    const auto window = place_window(input, sizes, strides, padding);
    if (!window)
        fail(fmt::format("{} {} x {} is larger than its input {}", name, sizes[0], sizes[1], input.text()));
    return *window;
}

template <int axes>
TensorId LayerBuilder::add(TensorId input, const Convolution<axes>& layer) {
    const auto from = shape(input);
    if (!has_axes<axes>(from))
        fail(fmt::format("a convolution needs {}, its input is {}", axes_text<axes>(), from.text()));
    auto window = window_over<axes>(from, "kernel", layer.kernel, layer.stride, layer.padding);
    window.groups = layer.groups;
    const auto channels = channels_of_group(from[0], layer.filters, layer.groups);
    const auto area = Checked(window.size[0]) * window.size[1];
    const auto weight = add_parameter(".weight", {layer.filters, channels, window.size[0], window.size[1]},
                                      {.initializer = of(layer.initializer),
                                       .fan_in = (channels * area).value(),
                                       .fan_out = (layer.filters * area).value(),
                                       .l2 = layer.l2});
    const auto product = apply(OperatorKind::conv2d, {input, weight},
                               window_output(from, window, layer.filters), "/product", window);
    return activate(layer.bias ? add_bias(product, layer.filters) : product, layer.activation);
}

std::int64_t LayerBuilder::channels_of_group(std::int64_t channels, std::int64_t filters,
                                             std::int64_t groups) const {
    const auto check = [&](std::int64_t count, const char* what) {
        if (count % groups != 0)
            fail(fmt::format("{} groups, expected a divisor of its {} {}", groups, count, what));
    };
    check(channels, "channels");
    check(filters, "filters");
    return channels / groups;
}

TensorId LayerBuilder::add(TensorId input, const DenseLayer& layer) {
    if (shape(input).rank() != 1) {
        fail(fmt::format("a dense layer needs one axis, its input is {}: put a flatten layer before it",
                         shape(input).text()));
    }
    const auto features = shape(input)[0];
    const auto weight = add_parameter(
        ".weight", {layer.units, features},
        {.initializer = of(layer.initializer), .fan_in = features, .fan_out = layer.units, .l2 = layer.l2});
    const auto product =
        apply(OperatorKind::matmul, {input, weight}, {layer.units}, "/product", MatMulAttributes{});
    return activate(add_bias(product, layer.units), layer.activation);
}

template <int axes>
TensorId LayerBuilder::add(TensorId input, const Pooling<axes>& layer) {
    const auto from = shape(input);
    if (!has_axes<axes>(from))
        fail(fmt::format("a pooling needs {}, its input is {}", axes_text<axes>(), from.text()));
    const auto window = window_over<axes>(from, "window", layer.size, layer.stride, layer.padding);
    const auto output = window_output(from, window, from[0]);
    if (layer.kind == PoolKind::average) {
        return apply(OperatorKind::average_pool, {input}, output, "/average", window);
    }
    const auto y = apply(OperatorKind::max_pool, {input}, output, "/maximum", window);
    const auto argmax = graph_.add_tensor({spec_.name + "/argmax", output, TensorRole::opaque, true});
    graph_.operators.back().outputs.push_back(argmax);
    return y;
}

TensorId LayerBuilder::add(TensorId input, const GlobalAveragePoolLayer&) {
    const auto extent = shape(input);
    if (extent.rank() != 3) fail(fmt::format("a pooling needs C,H,W, its input is {}", extent.text()));
    const std::array plane{extent[1], extent[2]};
    const auto mean = apply(OperatorKind::average_pool, {input}, {extent[0], 1, 1}, "/average",
                            WindowAttributes{.size = plane, .stride = plane});
    return apply(OperatorKind::reshape, {mean}, {extent[0]}, "/flat");
}

TensorId LayerBuilder::add(TensorId input, const DropoutLayer& layer) {
    if (!training_ || layer.rate == 0.0) return input;
    const DropoutAttributes attributes{layer.rate, static_cast<std::uint32_t>(position_)};
    const auto extent = shape(input);
    const auto random = apply(OperatorKind::random_uniform, {}, extent, "/random", attributes);
    const auto keep = apply(OperatorKind::greater_equal, {random}, extent, "/keep", attributes);
    const auto mask = apply(OperatorKind::cast, {keep}, extent, "/mask", attributes);
    return apply(OperatorKind::multiply, {input, mask}, extent, "/result");
}

TensorId LayerBuilder::add(TensorId input, const FlattenLayer&) {
    return apply(OperatorKind::reshape, {input}, {shape(input).elements()}, "/flat");
}

TensorId LayerBuilder::add(TensorId input, const ActivationLayer& layer) {
    return activate(input, layer.activation);
}

TensorId LayerBuilder::add(TensorId input, const BatchNormLayer& layer) {
    const auto extent = shape(input);
    const Shape channels{extent[0]};
    const auto gamma = add_parameter(".gamma", channels, {.initializer = Initializer::ones});
    const auto beta = add_parameter(".beta", channels, {});
    const auto moving_mean = add_parameter(".moving_mean", channels, {.trained = false});
    const auto moving_variance =
        add_parameter(".moving_variance", channels, {.initializer = Initializer::ones, .trained = false});
    const auto kind = training_ ? OperatorKind::batch_norm : OperatorKind::batch_norm_inference;
    const auto y = apply(kind, {input, gamma, beta, moving_mean, moving_variance}, extent, "/normalised",
                         BatchNormAttributes{.momentum = layer.momentum, .epsilon = layer.epsilon});
    if (training_) {
        const auto mean = graph_.add_tensor({spec_.name + "/mean", channels, TensorRole::activation, false});
        const auto variance =
            graph_.add_tensor({spec_.name + "/variance", channels, TensorRole::activation, false});
        auto& outputs = graph_.operators.back().outputs;
        outputs.insert(outputs.end(), {mean, variance, moving_mean, moving_variance});
    }
    return activate(y, layer.activation);
}

TensorId LayerBuilder::sum(std::span<const TensorId> inputs, const AddLayer& layer) {
    if (inputs.size() < 2) fail(fmt::format("adds two inputs or more, found {}", inputs.size()));
    auto result = inputs[0];
    for (std::size_t i = 1; i < inputs.size(); ++i) {
        if (shape(inputs[i]) != shape(result)) {
            fail(fmt::format("adds inputs of one shape, found {} and {}", shape(result).text(),
                             shape(inputs[i]).text()));
        }
        result = apply(OperatorKind::add, {result, inputs[i]}, shape(result),
                       i == 1 ? "/sum" : fmt::format("/sum_{}", i));
    }
    return activate(result, layer.activation);
}

TensorId LayerBuilder::side_by_side(std::span<const TensorId> inputs) {
    if (inputs.size() < 2) fail(fmt::format("takes two inputs or more, found {}", inputs.size()));
    auto extents = shape(inputs[0]).extents();
    for (const auto input : inputs.subspan(1)) {
        auto others = shape(input).extents();
        if (others.size() != extents.size() ||
            !std::equal(others.begin() + 1, others.end(), extents.begin() + 1)) {
            fail(fmt::format("takes flat inputs, or inputs of one height and width, found {} and {}",
                             shape(inputs[0]).text(), shape(input).text()));
        }
        extents[0] += others[0];
    }
    return apply(OperatorKind::concat, {inputs.begin(), inputs.end()}, Shape(std::move(extents)), "/joined");
}

TensorId LayerBuilder::activate(TensorId input, const Activation& activation) {
    const auto extent = shape(input);
    switch (activation.kind) {
        case Activation::none: return input;
        case Activation::relu: return apply(OperatorKind::relu, {input}, extent, "/relu");
        case Activation::leaky_relu:
            return apply(OperatorKind::leaky_relu, {input}, extent, "/leaky_relu",
                         LeakyReluAttributes{activation.slope});
        case Activation::tanh: return apply(OperatorKind::tanh, {input}, extent, "/tanh");
        case Activation::sigmoid: return apply(OperatorKind::sigmoid, {input}, extent, "/sigmoid");
        case Activation::softmax:
            if (extent.rank() != 1)
                fail(fmt::format("softmax needs one axis, its input is {}", extent.text()));
            return last_ ? input : apply(OperatorKind::softmax, {input}, extent, "/softmax");
    }
    throw InternalError("an activation without a case");
}

TensorId LayerBuilder::add_bias(TensorId input, std::int64_t channels) {
    const auto extent = shape(input);
    const auto bias = add_parameter(".bias", {channels}, {});
    return apply(OperatorKind::bias_add, {input, bias}, extent, "/biased");
}

TensorId LayerBuilder::add_parameter(const std::string& suffix, const Shape& extent, const Parameter& like) {
    auto parameter = like;
    parameter.value = add_tensor({spec_.name + suffix, extent, TensorRole::parameter, false});
    parameter.layer = static_cast<std::uint32_t>(position_);
    graph_.parameters.push_back(parameter);
    return parameter.value;
}

TensorId LayerBuilder::add_tensor(TensorInfo info) {
    check_size(info);
    return graph_.add_tensor(std::move(info));
}

TensorId LayerBuilder::apply(OperatorKind kind, std::vector<TensorId> inputs, const Shape& extent,
                             const std::string& suffix, Attributes attributes) {
    const auto output = add_tensor({spec_.name + suffix, extent, TensorRole::activation, true});
    graph_.operators.push_back(
        {kind, spec_.name, Pass::forward, std::move(inputs), {output}, std::move(attributes), {}});
    return output;
}

void LayerBuilder::fail(const std::string& problem) const {
    throw DataError(fmt::format("$.model.layers[{}] ({}): {}", position_, spec_.name, problem));
}

}  // namespace convoy
