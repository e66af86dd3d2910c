#include "program/cost.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <vector>

using namespace convoy;
using Kind = OperatorKind;

namespace {

/// A program whose tensors are made as they are named.
struct Operands {
    Program program;

    TensorId add(Shape shape, TensorRole role = TensorRole::activation, bool batched = true) {
        program.tensors.push_back({std::to_string(program.tensors.size()), std::move(shape), role, batched});
        return static_cast<TensorId>(program.tensors.size() - 1);
    }
    TensorId parameter(Shape shape) { return add(std::move(shape), TensorRole::parameter, false); }

    [[nodiscard]] OperatorCost cost(Kind kind, std::vector<TensorId> inputs, std::vector<TensorId> outputs,
                                    Attributes attributes = {}, std::int64_t activation_bytes = 4) const {
        return cost_of(
            program,
            {kind, "op", Pass::forward, std::move(inputs), std::move(outputs), std::move(attributes), {}},
            activation_bytes);
    }
};

}  // namespace

TEST_CASE("a convolution costs what a loop over its windows would") {
    Operands of;
    const auto x = of.add({5, 2, 6, 6});
    const auto y = of.add({5, 4, 4, 4});
    const auto weight = of.parameter({4, 2, 3, 3});
    const auto bias = of.parameter({4});
    const WindowAttributes window{.size = {3, 3}};
    std::int64_t multiply_adds = 0;
    for (int place = 0; place < 5 * 4 * 4 * 4; ++place) multiply_adds += 2 * 3 * 3;

    const std::int64_t x_bytes = 5 * 2 * 6 * 6 * 4, y_bytes = 5 * 4 * 4 * 4 * 4, w_bytes = 4 * 2 * 3 * 3 * 4;
    CHECK(of.cost(Kind::conv2d, {x, weight}, {y}, window) ==
          OperatorCost{2 * multiply_adds, x_bytes + w_bytes, y_bytes});
    CHECK(of.cost(Kind::conv2d_backprop_filter, {x, y}, {weight}, window) ==
          OperatorCost{2 * multiply_adds, x_bytes + y_bytes, w_bytes});
    CHECK(of.cost(Kind::conv2d_backprop_input, {weight, y}, {x}, window) ==
          OperatorCost{2 * multiply_adds, y_bytes + w_bytes, x_bytes});

    auto with_relu = window;
    with_relu.relu = true;
    const auto fused = of.cost(Kind::fused_conv2d, {x, weight, bias}, {y}, with_relu);
    CHECK(fused == OperatorCost{2 * multiply_adds + 2 * 320, x_bytes + w_bytes + 16, y_bytes});
    const auto addend = of.add({5, 4, 4, 4});
    CHECK(of.cost(Kind::fused_conv2d, {x, weight, bias, addend}, {y}, window) ==
          OperatorCost{2 * multiply_adds + 2 * 320, x_bytes + w_bytes + 16 + y_bytes, y_bytes});
    CHECK(of.cost(Kind::fused_conv2d_backprop_filter, {x, y}, {weight, bias}, window) ==
          OperatorCost{2 * multiply_adds + 320, x_bytes + y_bytes, w_bytes + 16});
}

TEST_CASE("a matrix product costs by its own shapes, not by the program's batch") {
    Operands of;
    of.program.batch = 1000;
    const auto x = of.add({7, 11});
    const auto y = of.add({7, 3});
    const auto weight = of.parameter({3, 11});
    for (const auto& cost : {of.cost(Kind::matmul, {x, weight}, {y}, MatMulAttributes{}),
                             of.cost(Kind::matmul_backprop_weight, {x, y}, {weight}),
                             of.cost(Kind::matmul_backprop_input, {weight, y}, {x})}) {
        CHECK(cost.flops == 2 * 7 * 11 * 3);
        CHECK(cost.read_bytes + cost.written_bytes == 4 * (7 * 11 + 7 * 3 + 3 * 11));
    }
}

TEST_CASE("activations in bfloat16 take two bytes, parameters and labels four") {
    Operands of;
    const auto x = of.add({8, 10}, TensorRole::input);
    const auto labels = of.add({8}, TensorRole::input);
    const auto y = of.add({8, 10});
    const auto bias = of.parameter({10});
    CHECK(of.cost(Kind::bias_add, {x, bias}, {y}, {}, 2) == OperatorCost{80, 160 + 40, 160});
    CHECK(of.cost(Kind::dataset, {}, {x}, DatasetAttributes{}, 2) == OperatorCost{0, 320, 160});
    const DatasetAttributes of_labels{.thing = ReadThing::labels};
    CHECK(of.cost(Kind::dataset, {}, {labels}, of_labels, 2) == OperatorCost{0, 32, 32});
    const auto mean = of.add({10}, TensorRole::activation, false);
    CHECK(of.cost(Kind::add, {bias, bias}, {mean}, {}, 2) == OperatorCost{10, 40, 40});
}

TEST_CASE("pooling counts its windows, its positions take a byte") {
    Operands of;
    const auto x = of.add({2, 3, 4, 4});
    const auto y = of.add({2, 3, 2, 2});
    const auto argmax = of.add({2, 3, 2, 2}, TensorRole::opaque);
    const WindowAttributes window{.size = {2, 2}, .stride = {2, 2}};
    CHECK(of.cost(Kind::max_pool, {x}, {y, argmax}, window) == OperatorCost{24 * 4, 96 * 4, 24 * 4 + 24});
    CHECK(of.cost(Kind::max_pool_grad, {y, argmax}, {x}, window) == OperatorCost{24, 24 * 4 + 24, 96 * 4});
    CHECK(of.cost(Kind::average_pool, {x}, {y}, window) == OperatorCost{24 * 4, 96 * 4, 24 * 4});
    CHECK(of.cost(Kind::average_pool_grad, {y}, {x}, window) == OperatorCost{24 * 5, 24 * 4, 96 * 4});
}

TEST_CASE("updates read and write the parameter and its slots, and read the gradient") {
    Operands of;
    const auto weight = of.parameter({100});
    const auto gradient = of.add({100}, TensorRole::gradient, false);
    const auto first = of.add({100}, TensorRole::slot, false);
    const auto second = of.add({100}, TensorRole::slot, false);
    CHECK(of.cost(Kind::apply_gradient_descent, {weight, gradient}, {weight}, UpdateAttributes{Sgd{}}) ==
          OperatorCost{200, 800, 400});
    CHECK(of.cost(Kind::apply_adam, {weight, gradient, first, second}, {weight, first, second},
                  UpdateAttributes{Adam{}}) == OperatorCost{1200, 1600, 1200});
    CHECK(of.cost(Kind::apply_momentum, {weight, gradient, first}, {weight, first},
                  UpdateAttributes{Sgd{}, 1e-4}) == OperatorCost{600, 1200, 800});
}

TEST_CASE("exact sums take eight bytes, exchanges and reshapes nothing") {
    Operands of;
    const auto bucket = of.add({64}, TensorRole::bucket, false);
    CHECK(of.cost(Kind::accumulate, {bucket}, {bucket}) == OperatorCost{64, 64 * 12, 64 * 8});
    CHECK(of.cost(Kind::take_sums, {bucket}, {bucket}) == OperatorCost{64, 64 * 8, 64 * 12});
    CHECK(of.cost(Kind::exchange_start, {bucket}, {bucket}, ExchangeAttributes{}) == OperatorCost{});
    CHECK(of.cost(Kind::exchange_wait, {bucket}, {bucket}, ExchangeAttributes{}) == OperatorCost{});
    const auto x = of.add({2, 3, 4, 4});
    const auto flat = of.add({2, 48});
    CHECK(of.cost(Kind::reshape, {x}, {flat}) == OperatorCost{});
}

TEST_CASE("a copy into a message or out of it costs the bytes of its tensor") {
    Operands of;
    const auto message = of.add({100}, TensorRole::bucket, false);
    const auto x = of.add({2, 5});
    const MessageAttributes behind{.first = 30};
    CHECK(of.cost(Kind::pack, {x}, {message}, behind) == OperatorCost{0, 40, 40});
    CHECK(of.cost(Kind::unpack, {message}, {x}, behind, 2) == OperatorCost{0, 40, 20});
}

TEST_CASE("an exchange of a part of a bucket costs the bytes of the part") {
    Operands of;
    const auto bucket = of.add({1000}, TensorRole::bucket, false);
    of.program.world_size = 3;
    const ExchangeAttributes part{.exchange = {.verb = ExchangeVerb::pull, .group = {}, .root = 1},
                                  .range = ElementRange{200, 64}};
    const Operator op{Kind::exchange, "part", Pass::communication, {bucket}, {bucket}, part, {}};
    const auto cost = exchange_cost(of.program, op, 1, HostMap(3));
    CHECK(cost.sent_bytes == 2 * 64 * 4);
    CHECK(cost.received_bytes == 0);
    CHECK(exchange_cost(of.program, op, 2, HostMap(3)).received_bytes == 64 * 4);
}

TEST_CASE("an operand that is read twice counts once, and a program is the sum of its operators") {
    Operands of;
    const auto x = of.add({10});
    const auto y = of.add({10});
    CHECK(of.cost(Kind::multiply, {x, x}, {y}) == OperatorCost{10, 40, 40});
    of.program.operators = {{Kind::relu, "r", Pass::forward, {x}, {y}, {}, {}},
                            {Kind::square, "s", Pass::forward, {y}, {x}, {}, {}}};
    CHECK(cost_of(of.program) == OperatorCost{20, 80, 80});
}
