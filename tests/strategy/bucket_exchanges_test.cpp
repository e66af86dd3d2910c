#include <catch2/catch.hpp>

#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("a calibration says how each bucket is summed, where it was measured between as many nodes") {
    const auto algorithms = [](const StrategySpec& strategy) {
        std::vector<AllReduceAlgorithm> found;
        const auto programs = compile_for({8, 8}, strategy);
        for (const auto& op : programs[0].operators) {
            if (op.kind == OperatorKind::exchange_wait)
                found.push_back(op.as<ExchangeAttributes>().exchange.options.algorithm);
        }
        return found;
    };
    using enum AllReduceAlgorithm;
    // of 18,816 floats the second bucket is, the first of 1,181,056
    StrategySpec strategy{.calibration = AllReduceCalibration{2, {{80'000, tree}}, halving_doubling}};
    CHECK(algorithms(strategy) == std::vector{halving_doubling, tree});
    strategy.calibration->ranges[0].up_to_bytes = 40'000;
    CHECK(algorithms(strategy) == std::vector{halving_doubling, halving_doubling});
    strategy.wire_type = WireType::float16;
    CHECK(algorithms(strategy) == std::vector{halving_doubling, tree});
    strategy.calibration->nodes = 3;
    CHECK(algorithms(strategy) == std::vector{ring, ring});
    strategy.calibration->nodes = 2;
    strategy.algorithm = ring;
    CHECK(algorithms(strategy) == std::vector{ring, ring});
}
