#include "nn/network.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "nn/zoo.hpp"

using namespace convoy;

namespace {

const Shape image{1, 8, 8};

/// The message that building the layers fails with; empty where they fit.
std::string complaint(const std::vector<LayerSpec>& layers, const Shape& input = image,
                      std::int64_t classes = 10) {
    try {
        training_graph({"inline", image, layers}, Sgd{}, input, classes);
        return {};
    } catch (const DataError& error) {
        return error.what();
    }
}

LayerSpec dense(const std::string& name, std::int64_t units) {
    return {name, DenseLayer{.units = units}};
}

}  // namespace

TEST_CASE("mnist_cnn has the published parameters and shapes") {
    const auto model = resolve_model({.name = "mnist_cnn", .input = {}, .layers = {}});
    CHECK(training_graph(model, Adadelta{}, {1, 28, 28}, 10).parameter_elements() == 1'199'882);
    CHECK(training_graph(model, Adam{}, {1, 28, 28}, 10).parameter_elements() == 1'199'882);
    CHECK(evaluation_graph(model, {1, 28, 28}, 10).parameter_elements() == 1'199'882);
    const auto layers = summarize_layers(model, {1, 28, 28}, 10);
    REQUIRE(layers.size() == 8);
    const std::vector<Shape> outputs{{32, 26, 26}, {64, 24, 24}, {64, 12, 12}, {64, 12, 12},
                                     {9216},       {128},        {128},        {10}};
    const std::vector<std::int64_t> parameters{320, 18'496, 0, 0, 0, 1'179'776, 0, 1'290};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        CHECK(layers[i].output == outputs[i]);
        CHECK(layers[i].parameters == parameters[i]);
    }
    CHECK(layers[0].type == "conv2d");
    CHECK(layers[2].type == "max_pool");
    CHECK(layers[1].forward_flops == 2 * 64 * 24 * 24 * 32 * 3 * 3);
    CHECK(layers[5].forward_flops == 2 * 128 * 9216);
    CHECK(layers[3].forward_flops == 0);
}

TEST_CASE("a layer that does not fit is named with its path") {
    CHECK(complaint({{"flat", FlattenLayer{}}, dense("d", 10)}).empty());
    CHECK(complaint({dense("d", 10)}) ==
          "$.model.layers[0] (d): a dense layer needs one axis, its input is 1x8x8: put a flatten layer "
          "before it");
    CHECK(complaint({{"c", Conv2dLayer{.filters = 2, .kernel = 9}}}) ==
          "$.model.layers[0] (c): kernel 9 x 9 is larger than its input 1x8x8");
    CHECK(complaint({{"c", Conv2dLayer{.filters = 2, .kernel = 7}}, {"p", PoolLayer{.size = 3}}}) ==
          "$.model.layers[1] (p): window 3 x 3 is larger than its input 2x2x2");
    CHECK(complaint({{"flat", FlattenLayer{}}, {"c", Conv2dLayer{.filters = 2, .kernel = 1}}}) ==
          "$.model.layers[1] (c): a convolution needs C,H,W, its input is 64");
    CHECK(complaint({{"flat", FlattenLayer{}}, {"p", PoolLayer{}}}) ==
          "$.model.layers[1] (p): a pooling needs C,H,W, its input is 64");
    CHECK(
        complaint({{"a", ActivationLayer{Activation::softmax}}, {"flat", FlattenLayer{}}, dense("d", 10)}) ==
        "$.model.layers[0] (a): softmax needs one axis, its input is 1x8x8");
}

TEST_CASE("a concatenation takes rows, or planes of one size") {
    const LayerSpec pool{"p", PoolLayer{}, {"images"}};
    const LayerSpec flat{"flat", FlattenLayer{}, {"images"}};
    CHECK(
        complaint({pool, {"j", ConcatLayer{}, {"images", "p"}}}) ==
        "$.model.layers[1] (j): takes flat inputs, or inputs of one height and width, found 1x8x8 and 1x4x4");
    CHECK(complaint({flat, {"j", ConcatLayer{}, {"images", "flat"}}}) ==
          "$.model.layers[1] (j): takes flat inputs, or inputs of one height and width, found 1x8x8 and 64");
    CHECK(complaint({flat, {"j", ConcatLayer{}}}) ==
          "$.model.layers[1] (j): takes two inputs or more, found 1");
    const ModelSpec model{"inline",
                          image,
                          {{"c", Conv2dLayer{.filters = 3, .kernel = 1}},
                           {"j", ConcatLayer{}, {"images", "c"}},
                           {"flat", FlattenLayer{}},
                           dense("d", 10)}};
    const auto joined = summarize_layers(model, image, 10).at(1);
    CHECK(joined.type == "concat");
    CHECK(joined.output == Shape{4, 8, 8});
    CHECK(joined.activation_elements == 4 * 8 * 8);
    CHECK(joined.forward_flops == 0);
}

TEST_CASE("layers of sequences go along their one axis") {
    const Shape input{3, 1, 100};
    const ModelSpec model{"inline",
                          input,
                          {{"c", Conv1dLayer{.filters = 8, .kernel = 5, .stride = 2}},
                           {"p", Pool1dLayer{.kind = PoolKind::max, .size = 4, .stride = 4}},
                           {"a", Pool1dLayer{.kind = PoolKind::average, .size = 3, .stride = 1}},
                           {"mean", GlobalAveragePoolLayer{}}}};
    const auto layers = summarize_layers(model, input, 8);
    CHECK(layers[0].type == "conv1d");
    CHECK(layers[0].output == Shape{8, 1, 48});
    CHECK(layers[0].parameters == 8 * 3 * 5 + 8);
    CHECK(layers[0].forward_flops == 2 * 8 * 3 * 5 * 48);
    CHECK(layers[1].type == "max_pool1d");
    CHECK(layers[1].output == Shape{8, 1, 12});
    CHECK(layers[2].type == "average_pool1d");
    CHECK(layers[2].output == Shape{8, 1, 10});
    CHECK(complaint({{"c", Conv1dLayer{.filters = 2, .kernel = 3}}}) ==
          "$.model.layers[0] (c): a convolution needs C,L (that is C,1,L), its input is 1x8x8");
    CHECK(complaint({{"p", Pool1dLayer{}}}) ==
          "$.model.layers[0] (p): a pooling needs C,L (that is C,1,L), its input is 1x8x8");
    const auto too_long = [&](const LayerSpec& layer) {
        try {
            summarize_layers({"inline", {1, 1, 4}, {layer}}, {1, 1, 4}, 4);
            return std::string();
        } catch (const DataError& error) {
            return std::string(error.what());
        }
    };
    CHECK(too_long({"c", Conv1dLayer{.filters = 2, .kernel = 5}}) ==
          "$.model.layers[0] (c): kernel 1 x 5 is larger than its input 1x1x4");
}

TEST_CASE("filters of a group read the channels of the group, and a convolution may have no bias") {
    const auto summary = [](const Conv2dLayer& layer) {
        const Shape input{6, 8, 8};
        return summarize_layers({"inline", input, {{"c", layer}, {"mean", GlobalAveragePoolLayer{}}}}, input,
                                layer.filters)
            .at(0);
    };
    const Conv2dLayer plain{.filters = 12, .kernel = 3};
    auto grouped = plain;
    grouped.groups = 3;
    auto depthwise = plain;
    depthwise.groups = 6;
    depthwise.bias = false;
    CHECK(summary(plain).parameters == 12 * 6 * 9 + 12);
    CHECK(summary(grouped).parameters == 12 * 2 * 9 + 12);
    CHECK(summary(depthwise).parameters == 12 * 9);
    CHECK(summary(plain).forward_flops == 2 * 12 * 6 * 9 * 36);
    CHECK(summary(grouped).forward_flops == 2 * 12 * 2 * 9 * 36);
    CHECK(summary(depthwise).forward_flops == 2 * 12 * 9 * 36);
    CHECK(complaint({{"c", Conv2dLayer{.filters = 4, .kernel = 1, .groups = 2}}}) ==
          "$.model.layers[0] (c): 2 groups, expected a divisor of its 1 channels");
    CHECK(complaint({{"a", Conv2dLayer{.filters = 4, .kernel = 1}},
                     {"c", Conv2dLayer{.filters = 6, .kernel = 1, .groups = 4}}}) ==
          "$.model.layers[1] (c): 4 groups, expected a divisor of its 6 filters");
}

TEST_CASE("a global pooling gives a value for each channel of an image of any size") {
    for (const auto& extent : {Shape{3, 8, 8}, Shape{3, 5, 9}, Shape{3, 1, 1}}) {
        const ModelSpec model{"inline", extent, {{"mean", GlobalAveragePoolLayer{}}, dense("d", 10)}};
        const auto mean = summarize_layers(model, extent, 10).at(0);
        CHECK(mean.type == "global_average_pool");
        CHECK(mean.output == Shape{3});
        const auto graph = evaluation_graph(model, extent, 10);
        const auto pool = std::ranges::find(graph.operators, OperatorKind::average_pool, &Operator::kind);
        REQUIRE(pool != graph.operators.end());
        CHECK(pool->as<WindowAttributes>().size == std::array{extent[1], extent[2]});
    }
    CHECK(complaint({{"flat", FlattenLayer{}}, {"mean", GlobalAveragePoolLayer{}}}) ==
          "$.model.layers[1] (mean): a pooling needs C,H,W, its input is 64");
}

TEST_CASE("dense layers and convolutions have a term of the penalty each, if they ask for it") {
    const ModelSpec model{"inline",
                          image,
                          {{"c", Conv2dLayer{.filters = 2, .kernel = 3, .l2 = 0.5}},
                           {"flat", FlattenLayer{}},
                           {"d", DenseLayer{.units = 4, .l2 = 0.25}},
                           dense("e", 10)}};
    const auto graph = training_graph(model, Sgd{}, image, 10);
    std::vector<std::pair<std::string, double>> terms;
    for (const auto& op : graph.operators)
        if (op.kind == OperatorKind::scale && op.pass == Pass::forward)
            terms.emplace_back(op.name, op.as<ScaleAttributes>().factor);
    CHECK(terms == std::vector<std::pair<std::string, double>>{{"c.weight", 0.5}, {"d.weight", 0.25}});
}

TEST_CASE("a network that does not fit its dataset says so") {
    CHECK(complaint({{"flat", FlattenLayer{}}, dense("d", 9)}) ==
          "$.model.layers[1]: d gives 9, expected one value for each of 10 classes");
    CHECK(complaint({{"flat", FlattenLayer{}}, dense("d", 10)}, {3, 8, 8}) ==
          "$.model.input: inline takes 1x8x8, but the dataset's examples are 3x8x8");
}

namespace {

const ExampleShape two(std::vector<Input>{{"image", {1, 8, 8}}, {"row", {1, 1, 5}}});

ModelSpec of_two(const std::vector<LayerSpec>& layers) {
    return {"inline", two, layers};
}

std::string complaint_of_two(const std::vector<LayerSpec>& layers, const ExampleShape& input = two) {
    try {
        training_graph(of_two(layers), Sgd{}, input, 10);
        return {};
    } catch (const DataError& error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("a network of several inputs has a tensor for each, and its layers name them") {
    const LayerSpec image_flat{"a", FlattenLayer{}, {"image"}};
    const LayerSpec row_flat{"b", FlattenLayer{}, {"row"}};
    const std::vector<LayerSpec> good{image_flat, row_flat, {"j", ConcatLayer{}, {"a", "b"}}, dense("d", 10)};
    CHECK(complaint_of_two(good).empty());
    const auto graph = evaluation_graph(of_two(good), two, 10);
    const auto fed = [&](std::size_t i) { return graph.tensor(graph.operators.at(i).outputs.at(0)); };
    CHECK(fed(0) == TensorInfo{"image", {1, 8, 8}, TensorRole::input, true});
    CHECK(fed(1) == TensorInfo{"row", {1, 1, 5}, TensorRole::input, true});
    CHECK(fed(2).name == "labels");
    CHECK(graph.operators[0].name == "image");
    CHECK(graph.operators[0].as<DatasetAttributes>() == DatasetAttributes{ReadThing::values, 0, 69});
    CHECK(graph.operators[1].name == "row");
    CHECK(graph.operators[1].as<DatasetAttributes>() == DatasetAttributes{ReadThing::values, 64, 69});
    CHECK(reads(graph.operators[2], ReadThing::labels));
    CHECK(graph.operators[3].kind != OperatorKind::dataset);

    CHECK(complaint_of_two(
              {{"a", FlattenLayer{}}, row_flat, {"j", ConcatLayer{}, {"a", "b"}}, dense("d", 10)}) ==
          "$.model.layers[0].inputs: missing, expected the inputs that a reads, of \"image\", \"row\"");
    CHECK(complaint_of_two({{"a", FlattenLayer{}, {"images"}}}) ==
          "$.model.layers[0].inputs: found \"images\", expected the name of a layer above a, or \"image\", "
          "\"row\"");
    CHECK(complaint_of_two({image_flat, dense("d", 10)}) ==
          "$.model.input.row: no layer reads row: name it in one's \"inputs\"");
    CHECK(complaint_of_two({image_flat, {"row", FlattenLayer{}, {"row"}}}) ==
          "$.model.layers[1].name: found \"row\", expected a name that no input has");
    CHECK(complaint_of_two(good, {1, 8, 8}) ==
          "$.model.input: inline takes image 1x8x8, row 1x1x5, but the dataset's examples are 1x8x8");
}

TEST_CASE("example numbers are read where random numbers are drawn by example") {
    const ModelSpec model{"inline", {4}, {{"o", DropoutLayer{0.5}}, dense("d", 3)}};
    const auto numbers = [](const Graph& graph) {
        return std::ranges::count_if(graph.operators,
                                     [](const Operator& op) { return reads(op, ReadThing::numbers); });
    };
    const auto training = training_graph(model, Sgd{}, {4}, 3);
    CHECK(numbers(training) == 1);
    CHECK(training.operators.at(2).name == "example numbers");
    CHECK(training.operators.at(2).outputs.empty());
    CHECK(numbers(evaluation_graph(model, {4}, 3)) == 0);
    CHECK(numbers(training_graph({"inline", {4}, {dense("d", 3)}}, Sgd{}, {4}, 3)) == 0);
}

TEST_CASE("a softmax in the middle stays, the last goes into the loss") {
    const ModelSpec model{
        "inline",
        {4},
        {{"m", DenseLayer{5, Activation::softmax}}, {"e", DenseLayer{3, Activation::softmax}}}};
    const auto graph = training_graph(model, Sgd{}, {4}, 3);
    const auto softmaxes = std::ranges::count(graph.operators, OperatorKind::softmax, &Operator::kind);
    CHECK(softmaxes == 1);
}

TEST_CASE("a layer that is too large for any host is refused by its path, and sizes do not wrap around") {
    const auto complaint = [](std::vector<LayerSpec> layers) -> std::string {
        layers.push_back({"f", FlattenLayer{}});
        layers.push_back(dense("d", 3));
        try {
            training_graph({"inline", {1, 8, 8}, std::move(layers)}, Sgd{}, {1, 8, 8}, 3);
            return "";
        } catch (const DataError& error) {
            return error.what();
        }
    };
    std::vector<LayerSpec> chain;  // 2^96 channels
    for (int i = 0; i < 16; ++i) {
        const auto before = i == 0 ? std::string("images") : "c" + std::to_string(i - 1);
        chain.push_back({"c" + std::to_string(i), ConcatLayer{}, std::vector<std::string>(64, before)});
    }
    CHECK(complaint(chain) ==
          "$.model.layers[6] (c6): c6/joined is a tensor of 4398046511104x8x8, and no tensor may have more "
          "than "
          "2^45 elements");
    const LayerSpec wide{"w", Conv2dLayer{.filters = 1 << 20, .kernel = 1024, .padding = Padding::same}};
    CHECK(complaint({wide, {"v", wide.layer}}) ==
          "$.model.layers[1] (v): v.weight is a tensor of 1048576x1048576x1024x1024, and no tensor may have "
          "more "
          "than 2^45 elements");
}
