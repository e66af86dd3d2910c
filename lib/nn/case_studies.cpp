#include "nn/case_studies.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace convoy {

ModelSpec redshift(std::int64_t classes) {
    constexpr std::int64_t bins = 1780, filters = 16, width = 8, units = 512;
    constexpr double dropped = 0.5, penalty = 0.2;
    std::vector<LayerSpec> layers;
    for (int i = 1; i <= 3; ++i) {
        layers.push_back({fmt::format("conv1d_{}", i), Conv1dLayer{.filters = filters,
                                                                   .kernel = width,
                                                                   .padding = Padding::same,
                                                                   .activation = Activation::relu}});
        layers.push_back(
            {fmt::format("max_pool1d_{}", i),
             Pool1dLayer{.kind = PoolKind::max, .size = 3, .stride = 2, .padding = Padding::same}});
        layers.push_back({fmt::format("batch_norm_{}", i), BatchNormLayer{}});
    }
    layers.push_back({"flatten_1", FlattenLayer{}});
    layers.push_back({"dropout_1", DropoutLayer{.rate = dropped}});
    layers.push_back({"dense_1", DenseLayer{.units = units, .l2 = penalty}});
    layers.push_back({"dropout_2", DropoutLayer{.rate = dropped}});
    layers.push_back({"dense_2", DenseLayer{.units = classes, .activation = Activation::softmax}});
    return {.name = "redshift", .input = {1, 1, bins}, .layers = std::move(layers), .classes = classes};
}

ModelSpec landcover(std::int64_t classes) {
    constexpr auto relu = Activation::relu;
    constexpr auto same = Padding::same;
    constexpr double dropped = 0.5;
    const std::vector<Input> inputs{{"hyperspectral", {1, 1, 144}}, {"lidar", {21, 7, 7}}};
    std::vector<LayerSpec> layers{
        {"conv1d_1",
         Conv1dLayer{.filters = 64, .kernel = 5, .padding = same, .activation = relu},
         {"hyperspectral"}},
        {"max_pool1d_1", Pool1dLayer{}},
        {"conv1d_2", Conv1dLayer{.filters = 128, .kernel = 5, .padding = same, .activation = relu}},
        {"max_pool1d_2", Pool1dLayer{}},
        {"flatten_1", FlattenLayer{}},
        {"conv2d_1", Conv2dLayer{.filters = 64, .kernel = 3, .padding = same, .activation = relu}, {"lidar"}},
        {"conv2d_2", Conv2dLayer{.filters = 128, .kernel = 3, .padding = same, .activation = relu}},
        {"max_pool_1", PoolLayer{}},
        {"flatten_2", FlattenLayer{}},
        {"concat_1", ConcatLayer{}, {"flatten_1", "flatten_2"}},
        {"dense_1", DenseLayer{.units = 1024, .activation = relu}},
        {"dropout_1", DropoutLayer{.rate = dropped}},
        {"dense_2", DenseLayer{.units = 256, .activation = relu}},
        {"dropout_2", DropoutLayer{.rate = dropped}},
        {"dense_3", DenseLayer{.units = classes, .activation = Activation::softmax}}};
    return {
        .name = "landcover", .input = ExampleShape(inputs), .layers = std::move(layers), .classes = classes};
}

}  // namespace convoy
