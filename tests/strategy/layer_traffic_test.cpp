#include "strategy/layer_traffic.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::int64_t passed_batch = 8;

Program step_program() {
    return instantiate(mnist_cnn(), ProgramKind::train,
                       {.batch = passed_batch, .layout_batch = passed_batch});
}

LayerOrder order_of_mnist_cnn() {
    ModelSpec model;
    model.name = "mnist_cnn";
    return LayerOrder(model);
}

/// Of one float for each example and value.
double passed_bytes(std::int64_t values) {
    return static_cast<double>(4 * passed_batch * values);
}

}  // namespace

TEST_CASE("an operator or a parameter belongs to its layer, and what has none to the last") {
    const auto order = order_of_mnist_cnn();
    REQUIRE(order.size() == 8);
    CHECK(order.layer_of("conv2d_1") == 0);
    CHECK(order.layer_of("conv2d_2.weight") == 1);
    CHECK(order.layer_of("loss") == 7);
}

TEST_CASE("a stage sends its last activation and receives the gradient of it") {
    const LayerTraffic traffic(step_program(), order_of_mnist_cnn());
    const auto first = traffic.of({.first = 0, .end = 1});
    CHECK(first.sent == passed_bytes(32 * 26 * 26));
    CHECK(first.received == passed_bytes(32 * 26 * 26));
    const auto last = traffic.of({.first = 7, .end = 8});
    CHECK(last.received == passed_bytes(128));
    CHECK(last.sent == passed_bytes(128));
    const auto middle = traffic.of({.first = 1, .end = 7});
    CHECK(middle.sent == passed_bytes(32 * 26 * 26 + 128));
    CHECK(middle.received == passed_bytes(32 * 26 * 26 + 128));
}

TEST_CASE("a tensor that two stages read is sent once, and received by each") {
    auto program = step_program();
    const auto named = [&](const std::string& name) -> Operator& {
        const auto found = std::ranges::find(program.operators, name, &Operator::name);
        REQUIRE(found != program.operators.end());
        return *found;
    };
    named("dense_2").inputs.push_back(named("conv2d_2").inputs.at(0));
    const LayerTraffic traffic(program, order_of_mnist_cnn());
    const auto conv2d_1 = passed_bytes(32 * 26 * 26), dense_1 = passed_bytes(128);
    CHECK(traffic.of({.first = 0, .end = 1}).sent == conv2d_1);
    CHECK(traffic.of({.first = 1, .end = 7}).received == conv2d_1 + dense_1);
    CHECK(traffic.of({.first = 7, .end = 8}).received == conv2d_1 + dense_1);
    // Both readers in one stage: it receives the tensor once.
    CHECK(traffic.of({.first = 1, .end = 8}).received == conv2d_1);
}

TEST_CASE("nothing passes out of the whole network") {
    const LayerTraffic traffic(step_program(), order_of_mnist_cnn());
    const auto all = traffic.of({.first = 0, .end = 8});
    CHECK(all.sent == 0.0);
    CHECK(all.received == 0.0);
    for (const auto& tensor : traffic.tensors()) CHECK_FALSE(tensor.readers.contains(tensor.writer));
}
