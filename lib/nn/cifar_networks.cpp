#include "nn/cifar_networks.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace convoy {
namespace {

/// Adds layers one behind the other. Each is called TYPE_N, as a layer without a name of an inline network.
class Chain {
  public:
    void convolution(Conv2dLayer layer) {
        layer.padding = Padding::same;
        layer.initializer = KernelInitializer::he_normal;
        add("conv2d", ++convolutions_, layer);
    }
    /// With ReLU. PyTorch's momentum of 0.1 is that of the new statistics, and 0.9 here.
    void norm() {
        add("batch_norm", ++norms_,
            BatchNormLayer{.momentum = 0.9, .epsilon = 1e-5, .activation = Activation::relu});
    }
    void halve() { add("max_pool", ++pools_, PoolLayer{.kind = PoolKind::max, .size = 2, .stride = 2}); }
    void flatten() { add("flatten", 1, FlattenLayer{}); }
    void global_average_pool() { add("global_average_pool", 1, GlobalAveragePoolLayer{}); }
    ModelSpec finish(const std::string& name) {
        add("dense", 1, DenseLayer{.units = 10, .activation = Activation::softmax});
        return {.name = name, .input = {3, 32, 32}, .layers = std::move(layers_)};
    }

  private:
    void add(const char* type, int number, const decltype(LayerSpec::layer)& layer) {
        layers_.push_back({fmt::format("{}_{}", type, number), layer});
    }

    std::vector<LayerSpec> layers_;
    int convolutions_ = 0, norms_ = 0, pools_ = 0;
};

/// widths: the filters of each convolution; 0 is a max pooling.
ModelSpec vgg(const std::string& name, std::initializer_list<std::int64_t> widths) {
    Chain chain;
    for (const auto filters : widths) {
        if (filters == 0) {
            chain.halve();
            continue;
        }
        chain.convolution({.filters = filters, .kernel = 3});
        chain.norm();
    }
    chain.flatten();
    return chain.finish(name);
}

}  // namespace

ModelSpec alexnet_cifar() {
    constexpr auto relu = Activation::relu;
    Chain chain;
    chain.convolution({.filters = 64, .kernel = 11, .stride = 4, .activation = relu});
    chain.halve();
    chain.convolution({.filters = 192, .kernel = 5, .activation = relu});
    chain.halve();
    for (const std::int64_t filters : {384, 256, 256})
        chain.convolution({.filters = filters, .kernel = 3, .activation = relu});
    chain.halve();
    chain.flatten();
    return chain.finish("alexnet_cifar");
}

ModelSpec vgg11() {
    return vgg("vgg11", {64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0});
}

ModelSpec vgg16() {
    return vgg("vgg16", {64, 64, 0, 128, 128, 0, 256, 256, 256, 0, 512, 512, 512, 0, 512, 512, 512, 0});
}

ModelSpec mobilenet_v1() {
    struct Pair {
        std::int64_t filters, stride;
    };
    std::int64_t channels = 32;
    Chain chain;
    chain.convolution({.filters = channels, .kernel = 3, .bias = false});
    chain.norm();
    for (const auto& [filters, stride] :
         {Pair{64, 1}, Pair{128, 2}, Pair{128, 1}, Pair{256, 2}, Pair{256, 1}, Pair{512, 2}, Pair{512, 1},
          Pair{512, 1}, Pair{512, 1}, Pair{512, 1}, Pair{512, 1}, Pair{1024, 2}, Pair{1024, 1}}) {
        chain.convolution(
            {.filters = channels, .kernel = 3, .stride = stride, .groups = channels, .bias = false});
        chain.norm();
        chain.convolution({.filters = filters, .kernel = 1, .bias = false});
        chain.norm();
        channels = filters;
    }
    chain.global_average_pool();
    return chain.finish("mobilenet_v1");
}

}  // namespace convoy
