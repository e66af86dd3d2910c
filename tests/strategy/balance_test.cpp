#include "strategy/balance.hpp"

#include <catch2/catch.hpp>

#include "graph/operator_cost.hpp"
#include "strategy/compile.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Contains;

namespace {

NodeSpeeds speeds_of(double factor) {
    return {.convolution_gflops = 40.0 * factor,
            .filter_gradient_gflops = 30.0 * factor,
            .input_gradient_gflops = 20.0 * factor,
            .matmul_gflops = 10.0 * factor,
            .elementwise_gb_s = 8.0 * factor};
}

ExperimentSpec measured_spec(const std::vector<double>& factors, BalanceSpec balance) {
    auto spec = spec_for(factors.size(), 30, {.balance = std::move(balance)});
    spec.model.name = "mnist_cnn";
    CalibrationSpec calibration;
    for (const auto factor : factors) calibration.nodes.push_back({.speeds = speeds_of(factor)});
    spec.calibration = std::move(calibration);
    return spec;
}

Plan compiled(const ExperimentSpec& spec) {
    const DataShape data{
        .example = Shape{1, 28, 28}, .classes = 10, .sizes = {.train = 70, .validation = 0, .test = 9}};
    return compile(spec, data, hosts_of(spec));
}

std::vector<double> seconds_of(const ExperimentSpec& spec) {
    return seconds_of_example(spec, mnist_cnn(), cluster_model(spec));
}

/// Of products of these kinds, in one example.
double flops_of(const std::vector<OperatorKind>& kinds) {
    const auto graph = mnist_cnn();
    double sum = 0.0;
    for (const auto& op : graph.operators) {
        if (std::ranges::count(kinds, op.kind) == 0) continue;
        sum += static_cast<double>(operator_cost(op, graph.tensors).flops);
    }
    return sum;
}

/// That operators of these kinds read and write in one example.
double bytes_of(const std::vector<OperatorKind>& kinds) {
    const auto graph = mnist_cnn();
    double sum = 0.0;
    for (const auto& op : graph.operators) {
        if (std::ranges::count(kinds, op.kind) == 0) continue;
        const auto cost = operator_cost(op, graph.tensors);
        sum += static_cast<double>(cost.moved_bytes());
    }
    return sum;
}

}  // namespace

TEST_CASE("the time of an example is its FLOPs over the speed of their kind, and its bytes over the rest") {
    const auto time_at = [](auto change) {
        auto spec = measured_spec({1.0}, {});
        NodeSpeeds endless{1e6, 1e6, 1e6, 1e6, 1e6};
        change(endless);
        std::get<CalibrationSpec>(*spec.calibration).nodes[0].speeds = endless;
        return seconds_of(spec).at(0);
    };
    // What is endless takes microseconds, what is timed takes seconds.
    CHECK(time_at([](auto& speeds) { speeds.convolution_gflops = 1e-3; }) ==
          Approx(flops_of({OperatorKind::conv2d}) * 1e-6).epsilon(0.02));
    CHECK(time_at([](auto& speeds) { speeds.filter_gradient_gflops = 1e-3; }) ==
          Approx(flops_of({OperatorKind::conv2d_backprop_filter}) * 1e-6).epsilon(0.02));
    CHECK(time_at([](auto& speeds) { speeds.input_gradient_gflops = 1e-3; }) ==
          Approx(flops_of({OperatorKind::conv2d_backprop_input}) * 1e-6).epsilon(0.02));
    CHECK(time_at([](auto& speeds) { speeds.matmul_gflops = 1e-3; }) ==
          Approx(flops_of({OperatorKind::matmul, OperatorKind::matmul_backprop_weight,
                           OperatorKind::matmul_backprop_input}) *
                 1e-6)
              .epsilon(0.02));
    // At least the image is read and written, and the first layer's result is written by no other operator.
    CHECK(time_at([](auto& speeds) { speeds.elementwise_gb_s = 1e-3; }) > 2 * 4 * 784 * 1e-6);
    const auto pooling_s = time_at([](auto& speeds) { speeds.pooling_gb_s = 1e-3; });
    CHECK(pooling_s ==
          Approx(bytes_of({OperatorKind::max_pool, OperatorKind::max_pool_grad}) * 1e-6).epsilon(0.02));
    const auto all_but_products_s = time_at([](auto& speeds) { speeds.elementwise_gb_s = 1e-3; });
    CHECK(time_at([](auto& speeds) {
              speeds.elementwise_gb_s = 1e-3;
              speeds.pooling_gb_s = 1e6;
          }) == Approx(all_but_products_s - pooling_s).epsilon(0.02));
    const auto spec = measured_spec({1.0, 0.5}, {});
    CHECK(seconds_of(spec).at(1) == Approx(2.0 * seconds_of(spec).at(0)));
}

TEST_CASE("an operator takes its time at the speed of its layer") {
    const auto program = instantiate(mnist_cnn(), ProgramKind::train, {.batch = 4, .layout_batch = 4});
    auto slow_layer = speeds_of(1.0);
    slow_layer.layers = {{.layer = "conv2d_2", .convolution_gflops = 4.0},
                         {.layer = "max_pool_1", .pooling_gb_s = 0.8}};
    std::size_t slower = 0;
    for (const auto& op : program.operators) {
        const auto before = seconds_of(program, op, speeds_of(1.0), 4).value();
        const auto after = seconds_of(program, op, slow_layer, 4).value();
        const bool slowed =
            (op.kind == OperatorKind::conv2d && op.name == "conv2d_2") || op.name == "max_pool_1";
        CHECK(after == Approx(slowed ? 10.0 * before : before));
        slower += slowed ? 1 : 0;
    }
    CHECK(slower == 3);  // and the pooling, forward and backward
}

TEST_CASE("by speed, a batch is divided in proportion to the speeds, and the gain is predicted") {
    const auto spec = measured_spec({1.0, 1.0, 0.5}, {BalanceBy::speed});
    const auto plan = compiled(spec);
    using Splits = std::vector<std::vector<std::int64_t>>;
    CHECK(plan.data().train.splits() == Splits{{12, 12, 6}, {4, 4, 2}});
    const auto balance = batch_balance(spec, mnist_cnn(), plan);
    REQUIRE(balance);
    CHECK(balance->shares == std::vector<std::int64_t>{12, 12, 6});
    CHECK(balance->equal_shares == std::vector<std::int64_t>{10, 10, 10});
    const auto example_s = seconds_of(spec).at(0);
    CHECK(balance->predicted_s.value() == Approx(12 * example_s));
    CHECK(balance->predicted_equal_s.value() == Approx(20 * example_s));
    // Evaluations are divided equally.
    CHECK(plan.data().evaluations.at(0).splits() == Splits{{3, 3, 3}});
}

TEST_CASE("weights need no calibration, and one node or equal shares have no balance") {
    auto spec = measured_spec({1.0, 1.0}, {BalanceBy::weights, {1.0, 2.0}});
    spec.calibration.reset();
    const auto plan = compiled(spec);
    CHECK(plan.data().train.splits().at(0) == std::vector<std::int64_t>{10, 20});
    CHECK(batch_balance(spec, mnist_cnn(), plan) ==
          BatchBalance{
              .shares = {10, 20}, .equal_shares = {15, 15}, .predicted_s = {}, .predicted_equal_s = {}});
    spec.strategy.name = StrategyName::parameter_server;
    CHECK(batch_balance(spec, mnist_cnn(), compiled(spec))->shares == std::vector<std::int64_t>{10, 20});
    spec = measured_spec({1.0, 0.1}, {});
    CHECK_FALSE(batch_balance(spec, mnist_cnn(), compiled(spec)));
    CHECK(compiled(spec).data().train.splits().at(0) == std::vector<std::int64_t>{15, 15});
    spec = spec_for(1, 30, {.balance = {BalanceBy::speed}});
    spec.model.name = "mnist_cnn";
    CHECK_FALSE(batch_balance(spec, mnist_cnn(), compiled(spec)));
}

TEST_CASE("shares by speed need the speeds of these nodes for this network") {
    auto spec = measured_spec({1.0, 1.0}, {BalanceBy::speed});
    std::get<CalibrationSpec>(*spec.calibration).nodes[1].speeds.matmul_gflops.reset();
    CHECK_THROWS_WITH(compiled(spec), Contains("$.strategy.balance") && Contains("convoy calibrate SPEC") &&
                                          Contains("$.calibration.nodes[1] has no matmul_gflops"));
    spec.nodes.resize(3);
    CHECK_THROWS_WITH(compiled(spec), Contains("speeds of 2 nodes, and there are 3"));
    spec.calibration.reset();
    CHECK_THROWS_WITH(compiled(spec), Contains("no speeds were measured"));
}
