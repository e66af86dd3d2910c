#include "nn/resnet.hpp"

#include <fmt/format.h>

#include <utility>

namespace convoy {
namespace {

constexpr double l2 = 1e-4;
constexpr int stages = 3;

/// Adds layers one by one; each returns its name.
class Layers {
  public:
    std::string convolution(const std::string& name, const std::string& input, std::int64_t filters,
                            std::int64_t kernel, std::int64_t stride = 1) {
        return add(name, {input},
                   Conv2dLayer{.filters = filters,
                               .kernel = kernel,
                               .stride = stride,
                               .padding = Padding::same,
                               .initializer = KernelInitializer::he_normal,
                               .l2 = l2});
    }
    std::string norm(const std::string& name, const std::string& input, Activation activation) {
        return add(name, {input}, BatchNormLayer{.activation = activation});
    }
    std::string sum(const std::string& name, const std::string& a, const std::string& b,
                    Activation activation) {
        return add(name, {a, b}, AddLayer{.activation = activation});
    }
    /// Average pooling of 8 x 8, the whole plane, and the classifier.
    void classifier(const std::string& input) {
        const auto pool = add("pool", {input}, PoolLayer{.kind = PoolKind::average, .size = 8, .stride = 8});
        const auto flat = add("flatten", {pool}, FlattenLayer{});
        add("classes", {flat},
            DenseLayer{
                .units = 10, .activation = Activation::softmax, .initializer = KernelInitializer::he_normal});
    }
    [[nodiscard]] std::vector<LayerSpec> take() { return std::move(layers_); }

  private:
    std::string add(const std::string& name, std::vector<std::string> inputs,
                    decltype(LayerSpec::layer) layer) {
        // What follows the layer before needs no naming.
        const bool in_order = inputs.size() == 1 &&
                              (layers_.empty() ? inputs[0] == "images" : inputs[0] == layers_.back().name);
        if (in_order) inputs.clear();
        layers_.push_back({name, layer, std::move(inputs)});
        return name;
    }

    std::vector<LayerSpec> layers_;
};

ModelSpec finish(const std::string& name, std::int64_t depth, Layers& layers) {
    return {.name = name, .input = {3, 32, 32}, .layers = layers.take(), .depth = depth};
}

}  // namespace

ModelSpec resnet_v1(std::int64_t depth) {
    const auto blocks = (depth - 2) / 6;
    Layers layers;
    auto x = layers.norm("stem_norm", layers.convolution("stem", "images", 16, 3), Activation::relu);
    std::int64_t width = 16;
    for (int stage = 1; stage <= stages; ++stage, width *= 2) {
        for (std::int64_t block = 1; block <= blocks; ++block) {
            const auto name = fmt::format("stage{}_block{}", stage, block);
            const bool narrows = stage > 1 && block == 1;
            auto y = layers.convolution(name + "_conv1", x, width, 3, narrows ? 2 : 1);
            y = layers.norm(name + "_norm1", y, Activation::relu);
            y = layers.convolution(name + "_conv2", y, width, 3);
            y = layers.norm(name + "_norm2", y, Activation::none);
            if (narrows) x = layers.convolution(name + "_shortcut", x, width, 1, 2);
            x = layers.sum(name + "_add", x, y, Activation::relu);
        }
    }
    layers.classifier(x);
    return finish("resnet_v1", depth, layers);
}

ModelSpec resnet_v2(std::int64_t depth) {
    const auto blocks = (depth - 2) / 9;
    Layers layers;
    auto x = layers.norm("stem_norm", layers.convolution("stem", "images", 16, 3), Activation::relu);
    std::int64_t width = 16;
    for (int stage = 1; stage <= stages; ++stage) {
        const auto wide = stage == 1 ? 4 * width : 2 * width;
        for (std::int64_t block = 1; block <= blocks; ++block) {
            const auto name = fmt::format("stage{}_block{}", stage, block);
            const auto stride = stage > 1 && block == 1 ? 2 : 1;
            // The stem has normalised what the first block reads.
            auto y = stage == 1 && block == 1 ? x : layers.norm(name + "_norm1", x, Activation::relu);
            y = layers.convolution(name + "_conv1", y, width, 1, stride);
            y = layers.norm(name + "_norm2", y, Activation::relu);
            y = layers.convolution(name + "_conv2", y, width, 3);
            y = layers.norm(name + "_norm3", y, Activation::relu);
            y = layers.convolution(name + "_conv3", y, wide, 1);
            if (block == 1) x = layers.convolution(name + "_shortcut", x, wide, 1, stride);
            x = layers.sum(name + "_add", x, y, Activation::none);
        }
        width = wide;
    }
    layers.classifier(layers.norm("norm", x, Activation::relu));
    return finish("resnet_v2", depth, layers);
}

}  // namespace convoy
