#include "report/undisturbed_steps.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace convoy;

namespace {

StepRecord row(std::int64_t node, std::int64_t step, double step_us, double core_look_us) {
    StepRecord record;
    record.node = node;
    record.step = step;
    record.step_us = step_us;
    record.core_look_us = core_look_us;
    return record;
}

/// So many steps of a node whose times and looks are the same.
std::vector<StepRecord> rows(std::int64_t node, std::int64_t count, double step_us, double core_look_us) {
    std::vector<StepRecord> all;
    for (std::int64_t step = 1; step <= count; ++step) all.push_back(row(node, step, step_us, core_look_us));
    return all;
}

}  // namespace

TEST_CASE("steps count as undisturbed if the core was quick before and behind them") {
    auto steps = rows(0, 40, 100.0, 10.0);
    for (const std::size_t at : {10, 20, 21, 30}) {
        steps[at].core_look_us = 18.0;
        steps[at].step_us = 50.0;
        steps[at - 1].step_us = 60.0;  // the core became slow meanwhile
    }
    const auto found = undisturbed_steps(steps, 2).value();
    CHECK(found.p10_us == 100.0);
    CHECK(found.slow_pct == 10.0);
    CHECK(found.quick_look_us == 10.0);
    CHECK(found.share_pct ==
          Approx(100.0 * 27 / 35));  // of steps 6 to 40, without 7 beside slow looks and the last

    std::ranges::reverse(steps);  // their order does not count
    CHECK(undisturbed_steps(steps, 2)->p10_us == 100.0);
}

TEST_CASE("a run is undisturbed enough with a quarter of its steps, and in older versions") {
    CHECK(is_undisturbed_enough(25.0));
    CHECK_FALSE(is_undisturbed_enough(24.9));
    CHECK(is_undisturbed_enough(std::nullopt));
}

TEST_CASE("of the undisturbed steps, the tenth from the shortest counts") {
    auto steps = rows(0, 106, 0.0, 10.0);  // without 5 and the last, 100
    for (auto& step : steps) step.step_us = 1000.0 - static_cast<double>(step.step);
    CHECK(undisturbed_steps(steps, 2)->p10_us == Approx(895.0 + 9.9));
}

TEST_CASE("looks that differ by little are not slow") {
    auto steps = rows(0, 40, 100.0, 10.0);
    for (std::size_t at = 1; at < steps.size(); at += 2) steps[at].core_look_us = 12.4;
    CHECK(undisturbed_steps(steps, 2)->slow_pct == 0.0);
    for (std::size_t at = 1; at < steps.size(); at += 2) steps[at].core_look_us = 12.5;
    CHECK(undisturbed_steps(steps, 2)->slow_pct == 50.0);
    CHECK_FALSE(undisturbed_steps(steps, 2)->p10_us);
}

TEST_CASE("a step by a look that is a little too long is disturbed") {
    auto steps = rows(0, 40, 100.0, 10.0);
    const auto p10_with = [&](double look_us) {
        for (std::size_t at = 1; at < steps.size(); at += 4) {
            steps[at].core_look_us = look_us;
            steps[at].step_us = steps[at - 1].step_us = 50.0;
        }
        return undisturbed_steps(steps, 2)->p10_us;
    };
    CHECK(p10_with(10.9) == 50.0);
    CHECK(p10_with(11.0) == 100.0);
}

TEST_CASE("a step of several nodes is as long as on the slowest, and disturbed if one of them is") {
    auto steps = rows(0, 40, 100.0, 10.0);
    for (auto& other : rows(1, 40, 120.0, 20.0)) steps.push_back(other);
    auto found = undisturbed_steps(steps, 2).value();
    CHECK(found.p10_us == 120.0);
    CHECK(found.quick_look_us == 20.0);

    for (std::size_t at = 45; at < 80; ++at) {  // all but the first five steps of node 1
        steps[at].core_look_us = 30.0;
        steps[at].step_us = 180.0;
    }
    found = undisturbed_steps(steps, 2).value();
    CHECK_FALSE(found.p10_us);
    CHECK(found.slow_pct == 87.5);
}

TEST_CASE("a few looks that are much too quick make no other look slow") {
    auto steps = rows(0, 200, 100.0, 10.0);
    for (const std::size_t at : {7, 70, 170}) steps[at].core_look_us = 5.0;
    CHECK(undisturbed_steps(steps, 2)->quick_look_us == 10.0);
    CHECK(undisturbed_steps(steps, 2)->slow_pct == 0.0);
}

TEST_CASE("the warm-up and the last step do not count, nor do fewer than ten steps") {
    auto steps = rows(0, 20, 100.0, 10.0);
    for (const std::size_t at : {0, 1, 2, 3, 4, 19}) steps[at].step_us = 10.0;
    CHECK(undisturbed_steps(steps, 2)->p10_us == 100.0);
    CHECK(undisturbed_steps(rows(0, 14, 100.0, 10.0), 2)->p10_us);        // without 3 and the last
    CHECK_FALSE(undisturbed_steps(rows(0, 13, 100.0, 10.0), 2)->p10_us);  // likewise
}

TEST_CASE("steps without looks tell nothing of the core") {
    CHECK_FALSE(undisturbed_steps({}, 2));
    auto steps = rows(0, 40, 100.0, 10.0);
    steps[7].core_look_us.reset();
    CHECK_FALSE(undisturbed_steps(steps, 2));
}
