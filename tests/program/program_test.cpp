#include "program/program.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

/// images -> fused convolution -> y, and the gradients of its operands.
Graph convolution_graph() {
    Graph graph;
    const auto images = graph.add_tensor({"images", {2, 6, 6}, TensorRole::input, true});
    const auto labels = graph.add_tensor({"labels", {}, TensorRole::input, true});
    const auto weight = graph.add_tensor({"c.weight", {4, 2, 3, 3}, TensorRole::parameter, false});
    const auto bias = graph.add_tensor({"c.bias", {4}, TensorRole::parameter, false});
    const auto y = graph.add_tensor({"c/relu", {4, 4, 4}, TensorRole::activation, true});
    const auto dweight = graph.add_tensor({"c.weight/gradient", {4, 2, 3, 3}, TensorRole::gradient, false});
    const auto dx = graph.add_tensor({"images/gradient", {2, 6, 6}, TensorRole::activation, true});
    const WindowAttributes window{.size = {3, 3}};
    graph.operators = {
        {OperatorKind::dataset, "batch", Pass::input, {}, {images}, DatasetAttributes{}, {}},
        {OperatorKind::dataset,
         "labels",
         Pass::input,
         {},
         {labels},
         DatasetAttributes{.thing = ReadThing::labels},
         {}},
        {OperatorKind::fused_conv2d,
         "c",
         Pass::forward,
         {images, weight, bias},
         {y},
         window,
         {OperatorKind::conv2d, OperatorKind::bias_add}},
        {OperatorKind::conv2d_backprop_filter, "c", Pass::backward, {images, y}, {dweight}, window, {}},
        {OperatorKind::conv2d_backprop_input, "c", Pass::backward, {weight, y}, {dx}, window, {}}};
    return graph;
}

}  // namespace

TEST_CASE("a graph becomes a program by its batch size") {
    const auto program = instantiate(convolution_graph(), ProgramKind::evaluate, {1, 3, 5, 8});
    CHECK(program.kind == ProgramKind::evaluate);
    CHECK(program.rank == 1);
    CHECK(program.world_size == 3);
    CHECK(program.batch == 5);
    CHECK(program.layout_batch == 8);
    CHECK(program.tensors[0].shape == Shape{5, 2, 6, 6});
    CHECK(program.tensors[1].shape == Shape{5});
    CHECK(program.tensors[2].shape == Shape{4, 2, 3, 3});
    CHECK(program.operators == convolution_graph().operators);
}

TEST_CASE("a program prints one operator a line, with shapes, and its buckets") {
    auto program = instantiate(convolution_graph(), ProgramKind::train, {0, 2, 5, 5});
    program.tensors.push_back({"bucket_0", {288}, TensorRole::bucket, false});
    program.buckets.push_back(
        {.storage = TensorId{7}, .tensors = {TensorId{5}}, .offsets = {0}, .elements = 288});
    CHECK(to_text(program) ==
          "train program of rank 0 of 2, 5 examples\n"
          "  0  Dataset batch:  -> images[5x2x6x6]\n"
          "  1  Dataset labels:  -> labels[5]\n"
          "  2  _FusedConv2D c: images[5x2x6x6], c.weight[4x2x3x3], c.bias[4] -> c/relu[5x4x4x4]  (Conv2D + "
          "BiasAdd)\n"
          "  3  Conv2DBackpropFilter c: images[5x2x6x6], c/relu[5x4x4x4] -> c.weight/gradient[4x2x3x3]\n"
          "  4  Conv2DBackpropInput c: c.weight[4x2x3x3], c/relu[5x4x4x4] -> images/gradient[5x2x6x6]\n"
          "bucket bucket_0: 1152 bytes: c.weight/gradient\n");
}
