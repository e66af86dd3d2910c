#include "strategy/compile.hpp"

#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("the algorithm auto is decided by the spec's calibration, behind the strategy's own table") {
    const auto algorithms = [](const ExperimentSpec& spec) {
        const DataShape data{
            .example = Shape{1, 28, 28}, .classes = 10, .sizes = {.train = 16, .validation = 0, .test = 0}};
        const auto node = compile(spec, data, hosts_of(spec)).of(0);
        std::vector<AllReduceAlgorithm> found;
        for (const auto& op : step_of(node).operators) {
            if (op.kind == OperatorKind::exchange_wait)
                found.push_back(op.as<ExchangeAttributes>().exchange.options.algorithm);
        }
        return found;
    };
    using enum AllReduceAlgorithm;
    auto spec = spec_for(2, 16);
    spec.model.name = "mnist_cnn";
    CHECK(algorithms(spec) == std::vector{ring, ring});
    // of 18,816 floats the second bucket is, the first of 1,181,056
    spec.calibration =
        CalibrationSpec{.all_reduce = {{2, 80'000, tree}, {2, std::nullopt, halving_doubling}}};
    CHECK(algorithms(spec) == std::vector{halving_doubling, tree});
    spec.strategy.calibration = AllReduceCalibration{2, {{80'000, recursive_doubling}}, automatic};
    CHECK(algorithms(spec) == std::vector{ring, recursive_doubling});
    spec.strategy.calibration->nodes = 3;
    CHECK(algorithms(spec) == std::vector{halving_doubling, tree});
}
