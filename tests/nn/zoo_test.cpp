#include "nn/zoo.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "nn/network.hpp"

using namespace convoy;

TEST_CASE("every name of the zoo resolves to layers with names of their own") {
    for (const auto& name : model_names()) {
        const auto model = resolve_model({.name = name, .input = {}, .layers = {}});
        CHECK(model.name == name);
        CHECK(model.input.image().rank() == 3);
        std::vector<std::string> names;
        for (const auto& layer : model.layers) names.push_back(layer.name);
        std::ranges::sort(names);
        CHECK(std::ranges::adjacent_find(names) == names.end());
        CHECK_FALSE(names.empty());
    }
}

TEST_CASE("inline layers are taken as they are, unknown names are refused with those that there are") {
    const ModelSpec inline_model{"inline", {1, 2, 2}, {{"flat", FlattenLayer{}}}};
    CHECK(resolve_model(inline_model) == inline_model);
    CHECK_THROWS_AS(resolve_model({.name = "mnist", .input = {}, .layers = {}}), DataError);
    CHECK_THROWS_WITH(resolve_model({.name = "mnist", .input = {}, .layers = {}}),
                      Catch::Contains("mnist_cnn"));
}

namespace {

Graph graph_of(const ModelSpec& model) {
    const auto resolved = resolve_model(model);
    return training_graph(resolved, Adadelta{}, resolved.input, resolved.classes.value_or(10));
}

std::int64_t count(const Graph& graph, OperatorKind kind) {
    return std::ranges::count(graph.operators, kind, &Operator::kind);
}

std::string resolving_complaint(const ModelSpec& model) {
    try {
        resolve_model(model);
        return {};
    } catch (const DataError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("the residual networks have the parameters of Keras' cifar10_resnet") {
    // Keras' model.summary() of the same depths.
    struct Published {
        std::string name;
        std::int64_t depth, parameters, trained, convolutions;
    };
    for (const auto& [name, depth, parameters, trained, convolutions] :
         {Published{"resnet_v2", 56, 1'673'738, 1'663'338, 58},
          Published{"resnet_v1", 20, 274'442, 273'066, 21}}) {
        INFO(name << " of depth " << depth);
        const auto graph = graph_of({.name = name, .input = {}, .layers = {}, .depth = depth});
        CHECK(graph.parameter_elements() == parameters);
        CHECK(graph.trained_elements() == trained);
        CHECK(count(graph, OperatorKind::conv2d) == convolutions);
        CHECK(count(graph, OperatorKind::square) == convolutions);
    }
    CHECK(graph_of({.name = "resnet_v2", .input = {}, .layers = {}}).parameter_elements() == 1'673'738);
}

TEST_CASE("lenet5 and two_conv have the parameters that their papers give") {
    CHECK(graph_of({.name = "lenet5", .input = {}, .layers = {}}).parameter_elements() == 61'706);
    ModelSpec two_conv{.name = "two_conv", .input = {}, .layers = {}};
    two_conv.filters = {50, 500};
    two_conv.kernel = 5;
    // 50 x (3 x 25 + 1) + 500 x (50 x 25 + 1) + 10 x (500 x 5 x 5 + 1)
    CHECK(graph_of(two_conv).parameter_elements() == 3'800 + 625'500 + 125'010);
    CHECK(resolving_complaint(two_conv).empty());
    two_conv.filters = {50};
    CHECK(resolving_complaint(two_conv) ==
          "$.model.filters: found 1 numbers, expected one for each of 2 convolutions");
}

TEST_CASE("the networks for CIFAR have the parameters that are published") {
    // bearpaw/pytorch-classification tells 2.47 million for alexnet. The others are what PyTorch counts for
    // the models of kuangliu/pytorch-cifar; moving statistics are no parameters there.
    struct Published {
        std::string name;
        std::int64_t trained, moving, convolutions;
    };
    // A mean and a variance for each filter: 2,752 filters in all in VGG11, 4,224 in VGG16, 10,944 in
    // MobileNet.
    for (const auto& [name, trained, moving, convolutions] :
         {Published{"alexnet_cifar", 2'472'266, 0, 5}, Published{"vgg11", 9'231'114, 2 * 2'752, 8},
          Published{"vgg16", 14'728'266, 2 * 4'224, 13},
          Published{"mobilenet_v1", 3'217'226, 2 * 10'944, 27}}) {
        INFO(name);
        const auto graph = graph_of({.name = name, .input = {}, .layers = {}});
        CHECK(graph.trained_elements() == trained);
        CHECK(graph.parameter_elements() == trained + moving);
        CHECK(count(graph, OperatorKind::conv2d) == convolutions);
        CHECK(count(graph, OperatorKind::relu) == convolutions);
    }
}

TEST_CASE("the networks of the case studies have the parameters that are published") {
    const auto redshift = graph_of({.name = "redshift", .input = {}, .layers = {}});
    CHECK(redshift.parameter_elements() == 2'242'192);  // Aspri 2019, with 800 classes
    CHECK(redshift.trained_elements() == 2'242'192 - 3 * 2 * 16);
    CHECK(count(graph_of({.name = "redshift", .input = {}, .layers = {}, .classes = 80}),
                OperatorKind::max_pool) == 3);
    // 5 x 64 + 64, 5 x 64 x 128 + 128; 9 x 21 x 64 + 64, 9 x 64 x 128 + 128; 36 x 128 + 9 x 128 values.
    constexpr std::int64_t convolutions = 384 + 41'088 + 12'160 + 73'856;
    constexpr std::int64_t dense = 5'760 * 1'024 + 1'024 + 1'024 * 256 + 256 + 256 * 15 + 15;
    CHECK(graph_of({.name = "landcover", .input = {}, .layers = {}}).parameter_elements() ==
          convolutions + dense);
    CHECK(convolutions + dense == 6'293'007);
    CHECK(resolving_complaint({.name = "vgg11", .input = {}, .layers = {}, .classes = 10}) ==
          "$.model.classes: vgg11 has no such choice");
}

TEST_CASE("mobilenet_v1 has the parameters of its paper but for the classifier") {
    // 4.2 million with 1000 classes; Keras tells 4,231,976 trained ones.
    auto model = resolve_model({.name = "mobilenet_v1", .input = {}, .layers = {}});
    std::get<DenseLayer>(model.layers.back().layer).units = 1000;
    const auto graph = training_graph(model, Sgd{}, model.input, 1000);
    CHECK(graph.trained_elements() == 4'231'976);
    const auto layers = summarize_layers(model, model.input, 1000);
    CHECK(std::ranges::find(layers, "global_average_pool", &LayerSummary::type)->output == Shape{1024});
    CHECK(layers.at(layers.size() - 3).output == Shape{1024, 2, 2});
}

TEST_CASE("the planes of the networks for CIFAR shrink as those of their sources") {
    const auto planes = [](const std::string& name) {
        const auto model = resolve_model({.name = name, .input = {}, .layers = {}});
        std::vector<std::int64_t> heights;
        for (const auto& layer : summarize_layers(model, model.input, 10))
            if (layer.type == "max_pool") heights.push_back(layer.output[1]);
        return heights;
    };
    CHECK(planes("alexnet_cifar") == std::vector<std::int64_t>{4, 2, 1});
    CHECK(planes("vgg11") == std::vector<std::int64_t>{16, 8, 4, 2, 1});
    CHECK(planes("vgg16") == std::vector<std::int64_t>{16, 8, 4, 2, 1});
}

TEST_CASE(
    "a depth that a residual network cannot have, and choices that a model does not offer, are refused") {
    const auto depth = [](const std::string& name, std::int64_t value) {
        return resolving_complaint({.name = name, .input = {}, .layers = {}, .depth = value});
    };
    CHECK(depth("resnet_v2", 11).empty());
    CHECK(depth("resnet_v2", 12) ==
          "$.model.depth: found 12, expected 9n + 2 for an n of at least 1, 1001 at most");
    CHECK(depth("resnet_v1", 2) ==
          "$.model.depth: found 2, expected 6n + 2 for an n of at least 1, 1001 at most");
    CHECK(depth("resnet_v2", 1010) != "");
    CHECK(depth("mnist_cnn", 11) == "$.model.depth: mnist_cnn has no such choice");
}

TEST_CASE("the momentum of a residual network's statistics may be chosen") {
    ModelSpec asked{.name = "resnet_v2", .input = {}, .layers = {}, .depth = 11, .batch_norm_momentum = 0.9};
    int norms = 0;
    for (const auto& layer : resolve_model(asked).layers) {
        const auto* norm = std::get_if<BatchNormLayer>(&layer.layer);
        if (norm == nullptr) continue;
        ++norms;
        CHECK(norm->momentum == 0.9);
    }
    CHECK(norms == 10);
    asked.depth.reset();
    asked.name = "vgg16";
    CHECK(std::get<BatchNormLayer>(resolve_model(asked).layers.at(1).layer).momentum == 0.9);
    asked.batch_norm_momentum = 0.5;
    CHECK(std::get<BatchNormLayer>(resolve_model(asked).layers.at(1).layer).momentum == 0.5);
    asked.name = "lenet5";
    CHECK_THROWS_WITH(resolve_model(asked), "$.model.batch_norm_momentum: lenet5 has no such choice");
}
