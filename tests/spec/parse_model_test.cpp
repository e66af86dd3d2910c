#include "spec/parse.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "spec/minimal.hpp"
#include "spec/run_identity.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

TEST_CASE("inline layers are read with their defaults and names") {
    const auto spec = parse_spec(with("model", {{"input", {1, 28, 28}}, {"layers", every_layer}}));
    const std::vector<LayerSpec> expected{
        {"conv2d_1", Conv2dLayer{8, 3, 2, Padding::same, Activation::relu}},
        {"max_pool_1", PoolLayer{PoolKind::max, 3, 3, Padding::valid}},
        {"average_pool_1", PoolLayer{PoolKind::average, 2, 1, Padding::same}},
        {"last", Conv2dLayer{4, 1, 1, Padding::valid, Activation::none}},
        {"activation_1", ActivationLayer{Activation::tanh}},
        {"dropout_1", DropoutLayer{0.25}},
        {"flatten_1", FlattenLayer{}},
        {"dense_1", DenseLayer{10, Activation::none}},
        {"softmax_1", ActivationLayer{Activation::softmax}},
    };
    CHECK(spec.model.name == "inline");
    CHECK(spec.model.input == Shape{1, 28, 28});
    REQUIRE(spec.model.layers.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("layer " << i);
        CHECK(spec.model.layers[i] == expected[i]);
    }
}

TEST_CASE("layers of sequences are read, and a sequence is an image of one row") {
    const auto layers = json::parse(R"([
        {"type": "conv1d", "filters": 6, "kernel": 5, "stride": 2, "padding": "same", "groups": 3, "l2": 0.5},
        {"type": "max_pool1d", "size": 3}, {"type": "average_pool1d", "stride": 1, "padding": "same"},
        {"type": "conv1d", "filters": 4, "kernel": 1, "activation": "relu", "bias": false}])");
    const auto read = [&](const json& input) {
        return parse_spec(with("model", {{"input", input}, {"layers", layers}}));
    };
    const auto spec = read({3, 100});
    CHECK(spec.model.input == Shape{3, 1, 100});
    const std::vector<LayerSpec> expected{
        {"conv1d_1",
         Conv1dLayer{
             .filters = 6, .kernel = 5, .stride = 2, .padding = Padding::same, .l2 = 0.5, .groups = 3}},
        {"max_pool1d_1", Pool1dLayer{PoolKind::max, 3, 3, Padding::valid}},
        {"average_pool1d_1", Pool1dLayer{PoolKind::average, 2, 1, Padding::same}},
        {"conv1d_2", Conv1dLayer{.filters = 4, .kernel = 1, .activation = Activation::relu, .bias = false}}};
    CHECK(spec.model.layers == expected);
    CHECK(parse_spec(to_json(spec)) == spec);
    CHECK(run_id(spec) == run_id(read({3, 1, 100})));
    CHECK(run_id(spec) != run_id(read({3, 100, 1})));
}

TEST_CASE("a convolution may have groups and no bias") {
    const auto layers =
        json::parse(R"([{"type": "conv2d", "filters": 6, "kernel": 1, "groups": 3, "bias": false}])");
    const auto spec = parse_spec(with("model", {{"input", {3, 8, 8}}, {"layers", layers}}));
    const auto& layer = std::get<Conv2dLayer>(spec.model.layers.at(0).layer);
    CHECK(layer.groups == 3);
    CHECK_FALSE(layer.bias);
    CHECK(parse_spec(to_json(spec)) == spec);
}

TEST_CASE("every layer with a kernel takes a penalty") {
    for (const char* text : {R"({"type": "conv2d", "filters": 2, "kernel": 1, "l2": 0.25})",
                             R"({"type": "dense", "units": 2, "l2": 0.25})"}) {
        INFO(text);
        const auto layers = json::array({json::parse(text)});
        const auto spec = parse_spec(with("model", {{"input", {1, 8, 8}}, {"layers", layers}}));
        const auto penalty = std::visit(
            [](const auto& layer) {
                if constexpr (requires { layer.l2; }) return layer.l2;
                return -1.0;
            },
            spec.model.layers.at(0).layer);
        CHECK(penalty == 0.25);
        CHECK(parse_spec(to_json(spec)) == spec);
    }
}

TEST_CASE("a leaky relu has a slope, which may be given") {
    const auto read = [](const json& activation) {
        const json layers{{{"type", "dense"}, {"units", 2}, {"activation", activation}}};
        const auto spec = parse_spec(with("model", {{"input", {1, 1, 4}}, {"layers", layers}}));
        CHECK(parse_spec(to_json(spec)) == spec);
        return spec;
    };
    const auto activation = [&](const json& value) {
        return std::get<DenseLayer>(read(value).model.layers.at(0).layer).activation;
    };
    CHECK(activation("leaky_relu") == Activation(Activation::leaky_relu, 0.01));
    CHECK(activation({{"name", "leaky_relu"}}) == Activation::leaky_relu);
    CHECK(activation({{"name", "leaky_relu"}, {"slope", 0.2}}) == Activation(Activation::leaky_relu, 0.2));
    CHECK_FALSE(Activation(Activation::leaky_relu, 0.2) == Activation::leaky_relu);
    CHECK(run_id(read("leaky_relu")) == run_id(read({{"name", "leaky_relu"}, {"slope", 0.01}})));
    CHECK(run_id(read("leaky_relu")) != run_id(read({{"name", "leaky_relu"}, {"slope", 0.2}})));
}

TEST_CASE("a default layer name counts the layers of its type") {
    const auto layers =
        json::parse(R"([{"type": "dense", "name": "first", "units": 2}, {"type": "dense", "units": 2}])");
    CHECK(parse_spec(with("model", {{"input", {1, 1, 1}}, {"layers", layers}})).model.layers[1].name ==
          "dense_2");
}

TEST_CASE("a network's inputs have names, or it has one without") {
    const json layers{{{"type", "flatten"}}};
    const auto spec = parse_spec(
        with("model", {{"input", {{"row", {1, 1, 5}}, {"image", {3, 8, 8}}}}, {"layers", layers}}));
    CHECK(spec.model.input == ExampleShape(std::vector<Input>{{"image", {3, 8, 8}}, {"row", {1, 1, 5}}}));
    CHECK(parse_spec(to_json(spec)) == spec);
    const auto one = parse_spec(with("model", {{"input", {{"images", {3, 8, 8}}}}, {"layers", layers}}));
    const auto plain = parse_spec(with("model", {{"input", {3, 8, 8}}, {"layers", layers}}));
    CHECK(run_id(one) == run_id(plain));
    CHECK(to_json(one).at("model").at("input") == json{3, 8, 8});
}
