#include "kernels/case_lists.hpp"

#include <algorithm>
#include <iterator>

namespace convoy::test {
namespace {

void append(std::vector<OperatorCase>& all, std::vector<OperatorCase> more) {
    std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

std::vector<OperatorCase> odd_cases() {
    std::vector<OperatorCase> all;
    const std::vector<WindowCase> convolutions{
        {{1, 1, 1}, 1, 1, 1, Padding::valid},          {{3, 5, 9}, 7, 3, 1, Padding::same},
        {{16, 8, 8}, 16, 3, 1, Padding::same},         {{5, 9, 7}, 17, 5, 2, Padding::same},
        {{2, 7, 7}, 33, 2, 2, Padding::valid},         {{9, 4, 6}, 3, 4, 3, Padding::same},
        {{6, 7, 5}, 9, 3, 2, Padding::same, 3},        {{7, 6, 6}, 7, 3, 1, Padding::same, 7},
        {{16, 9, 9}, 16, 3, 2, Padding::same, 16},     {{24, 6, 6}, 24, 3, 1, Padding::valid, 24},
        {{32, 5, 5}, 32, 3, 1, Padding::same, 2},      {{32, 4, 4}, 64, 1, 1, Padding::valid, 4},
        {{3, 8, 8}, 12, 5, 1, Padding::same, 3},       {{3, 1, 21}, 5, 4, 3, Padding::same, 1, 1},
        {{16, 1, 12}, 16, 3, 1, Padding::valid, 1, 1}, {{16, 1, 13}, 32, 5, 2, Padding::same, 16, 1}};
    for (const auto& window : convolutions) {
        append(all, convolution_cases("conv_" + window.image.text(), 3, window));
    }
    const std::vector<WindowCase> pools{
        {.image = {3, 6, 7}, .size = 2, .stride = 2, .padding = Padding::valid},
        {.image = {17, 5, 5}, .size = 3, .stride = 1, .padding = Padding::same},
        {.image = {1, 7, 9}, .size = 3, .stride = 2, .padding = Padding::same},
        {.image = {8, 4, 4}, .size = 2, .stride = 3, .padding = Padding::valid},
        {.image = {5, 1, 11}, .size = 3, .stride = 2, .padding = Padding::same, .axes = 1},
        {.image = {16, 1, 9}, .size = 4, .stride = 4, .padding = Padding::valid, .axes = 1}};
    for (const auto& window : pools) {
        append(all, max_pool_cases("max_pool_" + window.image.text(), 2, window));
        append(all, average_pool_cases("average_pool_" + window.image.text(), 2, window));
    }
    for (const auto& image : {Shape{1, 1, 1}, Shape{3, 5, 7}, Shape{16, 4, 4}}) {
        append(all, elementwise_cases("elementwise_" + image.text(), 3, image));
        append(all, dropout_cases("dropout_" + image.text(), 3, image));
        append(all, concat_cases("concat_" + image.text(), 3, image));
    }
    for (const auto& window : {WindowCase{.image = {3, 6, 5}, .filters = 16, .size = 3},
                               WindowCase{.image = {16, 4, 4}, .filters = 32, .size = 3},
                               WindowCase{.image = {8, 5, 5}, .filters = 7, .size = 1}})
        append(all, message_cases("message_" + window.image.text(), 3, window));
    append(all, dense_cases("dense_1x1", 2, 1, 1));
    append(all, dense_cases("dense_37x19", 5, 37, 19));
    append(all, elementwise_cases("elementwise_row", 4, {33}));
    append(all, concat_cases("concat_row", 4, {33}));
    append(all, softmax_cases("classes_3", 4, 3));
    append(all, softmax_cases("classes_100", 9, 100));
    return all;
}

std::vector<OperatorCase> winograd_cases(std::int64_t batch) {
    std::vector<OperatorCase> all;
    const std::vector<WindowCase> convolutions{
        {{32, 8, 8}, 48, 3, 1, Padding::same}, {{48, 7, 7}, 32, 3, 1, Padding::same},
        {{32, 4, 4}, 80, 3, 1, Padding::same}, {{32, 12, 16}, 32, 3, 1, Padding::valid},
        {{64, 3, 3}, 32, 3, 1, Padding::same}, {{32, 2, 2}, 96, 3, 1, Padding::same}};
    for (const auto& window : convolutions)
        append(all, convolution_cases("winograd_" + window.image.text(), batch, window));
    return all;
}

std::vector<OperatorCase> own_loops_cases(std::int64_t batch) {
    std::vector<OperatorCase> all;
    const std::vector<WindowCase> convolutions{{{44, 7, 6}, 76, 5, 1, Padding::same},
                                               {{44, 13, 11}, 64, 5, 2, Padding::same},
                                               {{44, 1, 60}, 64, 24, 1, Padding::valid, 1, 1},
                                               {{123, 5, 5}, 90, 3, 1, Padding::valid}};
    for (const auto& window : convolutions)
        append(all, convolution_cases("own_loops_" + window.image.text(), batch, window));
    return all;
}

const Operator& forward_convolution(const OperatorCase& one) {
    return *std::ranges::find_if(one.program.operators, [](const Operator& op) {
        return op.kind == OperatorKind::conv2d || op.kind == OperatorKind::fused_conv2d;
    });
}

std::vector<OperatorCase> mnist_cnn_cases(std::int64_t batch) {
    std::vector<OperatorCase> all =
        convolution_cases("conv2d_1", batch, {{1, 28, 28}, 32, 3, 1, Padding::valid});
    append(all, convolution_cases("conv2d_2", batch, {{32, 26, 26}, 64, 3, 1, Padding::valid}));
    append(all, max_pool_cases("max_pool_1", batch, {.image = {64, 24, 24}, .size = 2, .stride = 2}));
    append(all, dropout_cases("dropout_1", batch, {64, 12, 12}));
    append(all, dense_cases("dense_1", batch, 9216, 128));
    append(all, dense_cases("dense_2", batch, 128, 10));
    append(all, softmax_cases("classes", batch, 10));
    return all;
}

ModelSpec residual_network() {
    const auto convolution = [](std::int64_t filters, std::int64_t kernel, std::int64_t stride) {
        return Conv2dLayer{
            .filters = filters, .kernel = kernel, .stride = stride, .padding = Padding::same, .l2 = 0.01};
    };
    const BatchNormLayer with_relu{.activation = Activation::relu};
    return {"residual",
            {3, 8, 8},
            {{"stem", convolution(16, 3, 1)},
             {"stem_norm", with_relu},
             {"a1", convolution(16, 1, 1)},
             {"a2", with_relu},
             {"a3", convolution(37, 1, 1)},
             {"a_shortcut", convolution(37, 1, 1), {"stem_norm"}},
             {"a", AddLayer{}, {"a_shortcut", "a3"}},
             {"b1", with_relu},
             {"b2", convolution(37, 3, 1)},
             {"b3", BatchNormLayer{.momentum = 0.5, .epsilon = 0.1, .activation = Activation::tanh}},
             {"b4", convolution(37, 1, 1)},
             {"b", AddLayer{.activation = Activation::relu}, {"a", "b4", "b2"}},
             {"c1", BatchNormLayer{}},
             {"c2", convolution(8, 1, 2)},
             {"flat", FlattenLayer{}},
             {"row_norm", with_relu},
             {"classes", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

ModelSpec own_loops_network() {
    const auto convolution = [](std::int64_t filters, Padding padding) {
        return Conv2dLayer{
            .filters = filters, .kernel = 5, .padding = padding, .activation = Activation::relu};
    };
    return {"own_loops",
            {3, 18, 17},
            {{"first", convolution(44, Padding::valid)},
             {"second", convolution(77, Padding::same)},
             {"pool", PoolLayer{.kind = PoolKind::max, .size = 2, .stride = 2}},
             {"third", convolution(48, Padding::same)},
             {"norm", BatchNormLayer{}},
             {"fourth", convolution(16, Padding::valid)},
             {"flat", FlattenLayer{}},
             {"classes", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

ModelSpec grouped_network() {
    const auto convolution = [](std::int64_t filters, std::int64_t kernel, std::int64_t stride,
                                std::int64_t groups, bool bias) {
        return Conv2dLayer{.filters = filters,
                           .kernel = kernel,
                           .stride = stride,
                           .padding = Padding::same,
                           .l2 = 0.01,
                           .groups = groups,
                           .bias = bias};
    };
    const BatchNormLayer with_relu{.activation = Activation::relu};
    auto grouped = convolution(24, 3, 1, 4, true);
    grouped.activation = Activation::relu;
    return {"grouped",
            {3, 9, 9},
            {{"stem", convolution(16, 3, 1, 1, false)},
             {"stem_norm", with_relu},
             {"depthwise", convolution(16, 3, 2, 16, false)},
             {"depthwise_norm", with_relu},
             {"pointwise", convolution(24, 1, 1, 1, false)},
             {"pointwise_norm", with_relu},
             {"odd_depthwise", convolution(48, 3, 1, 24, true)},
             {"grouped_pointwise", convolution(24, 1, 1, 2, true)},
             {"sum", AddLayer{}, {"grouped_pointwise", "pointwise_norm"}},
             {"grouped", grouped},
             {"mean", GlobalAveragePoolLayer{}},
             {"classes", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

ModelSpec sequence_network() {
    return {"sequence",
            {3, 1, 50},
            {{"c1", Conv1dLayer{.filters = 16, .kernel = 5, .activation = Activation::relu, .l2 = 0.01}},
             {"p1", Pool1dLayer{.kind = PoolKind::max, .size = 2, .stride = 2}},
             {"c2", Conv1dLayer{.filters = 16,
                                .kernel = 3,
                                .stride = 2,
                                .padding = Padding::same,
                                .groups = 16,
                                .bias = false}},
             {"norm", BatchNormLayer{.activation = Activation::relu}},
             {"c3", Conv1dLayer{.filters = 21, .kernel = 1, .activation = Activation::leaky_relu}},
             {"p2", Pool1dLayer{.kind = PoolKind::average, .size = 3, .stride = 2, .padding = Padding::same}},
             {"mean", GlobalAveragePoolLayer{}},
             {"classes", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

ModelSpec joining_network() {
    const auto convolution = [](std::int64_t filters) {
        return Conv2dLayer{
            .filters = filters, .kernel = 3, .padding = Padding::same, .activation = Activation::relu};
    };
    return {"joining",
            {3, 8, 8},
            {{"a", convolution(16)},
             {"b", convolution(32)},
             {"blocks", ConcatLayer{}, {"a", "b"}},
             {"c", convolution(5)},
             {"d", convolution(16), {"blocks"}},
             {"across", ConcatLayer{}, {"c", "images", "d"}},
             {"pool", PoolLayer{.kind = PoolKind::average, .size = 2, .stride = 2}},
             {"drop", DropoutLayer{.rate = 0.25}},
             {"flat", FlattenLayer{}},
             {"b_pool", PoolLayer{.kind = PoolKind::average, .size = 4, .stride = 4}, {"b"}},
             {"b_flat", FlattenLayer{}},
             {"row", DenseLayer{.units = 7, .activation = Activation::tanh}},
             {"rows", ConcatLayer{}, {"row", "b_flat", "flat"}},
             {"classes", DenseLayer{.units = 10, .activation = Activation::softmax}}}};
}

ModelSpec two_input_network() {
    return {
        "two_inputs",
        ExampleShape(std::vector<Input>{{"image", {2, 8, 8}}, {"magnitudes", {1, 1, 5}}}),
        {{"first",
          Conv2dLayer{.filters = 4, .kernel = 3, .padding = Padding::same, .activation = Activation::relu},
          {"image"}},
         {"planes", ConcatLayer{}, {"first", "image"}},
         {"second", Conv2dLayer{.filters = 6, .kernel = 3, .activation = Activation::tanh}},
         {"pool", PoolLayer{.kind = PoolKind::max, .size = 2, .stride = 2}},
         {"pooled", FlattenLayer{}},
         {"flat_row", FlattenLayer{}, {"magnitudes"}},
         {"row", DenseLayer{.units = 7, .activation = Activation::relu}},
         {"both", ConcatLayer{}, {"pooled", "row"}},
         {"classes", DenseLayer{.units = 4, .activation = Activation::softmax}}}};
}

}  // namespace convoy::test
