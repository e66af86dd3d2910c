#include "spec/trace_steps.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "spec/minimal.hpp"
#include "spec/parse.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

ExperimentSpec traced(const json& steps) {
    return parse_spec(with("measure", {{"trace_steps", steps}}));
}

}  // namespace

TEST_CASE("a number traces the first steps, an object any") {
    CHECK(trace_steps_of(traced(7), 100) == TraceStepsSpec{1, 7});
    CHECK(trace_steps_of(traced({{"from", 50}, {"count", 5}}), 100) == TraceStepsSpec{50, 5});
    CHECK(trace_steps_of(traced({{"from", 50}}), 100) == TraceStepsSpec{50, 20});
    CHECK_THROWS_WITH(traced(-1), Contains("$.measure.trace_steps") && Contains("[0, 1000]"));
    CHECK_THROWS_WITH(traced("all"), Contains("$.measure.trace_steps") && Contains("\"from\""));
    CHECK_THROWS_WITH(traced({{"from", 0}}), Contains("$.measure.trace_steps.from"));
    CHECK_THROWS_WITH(traced({{"to", 9}}), Contains("$.measure.trace_steps") && Contains("to"));
}

TEST_CASE("without a choice the first steps are left out where the epoch is long enough") {
    const auto spec = traced(nullptr);
    CHECK(trace_steps_of(spec, 10) == TraceStepsSpec{1, 20});
    CHECK(trace_steps_of(spec, 20) == TraceStepsSpec{1, 20});
    CHECK(trace_steps_of(spec, 22) == TraceStepsSpec{3, 20});
    CHECK(trace_steps_of(spec, 25) == TraceStepsSpec{6, 20});
    CHECK(trace_steps_of(spec, 10'000) == TraceStepsSpec{6, 20});
}

TEST_CASE("steps that no epoch has are told") {
    const auto note = [](const json& steps, std::int64_t of_epoch, std::int64_t of_run) {
        return note_on_trace_steps(traced(steps), of_epoch, of_run).value_or("");
    };
    CHECK_THAT(note({{"from", 51}}, 50, 500),
               Contains("$.measure.trace_steps.from is 51") && Contains("step 50"));
    CHECK_THAT(note({{"from", 11}}, 50, 10), Contains("step 10"));
    CHECK(note({{"from", 50}}, 50, 500).empty());
    CHECK(note({{"from", 51}, {"count", 0}}, 50, 500).empty());
    CHECK(note(nullptr, 3, 3).empty());
    CHECK(note(20, 3, 3).empty());
}
