#include "replication/claims.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

namespace {

std::optional<bool> holds(ClaimForm form, std::vector<double> values, std::optional<double> bound = {}) {
    ReplicationSpec spec;
    spec.level = 1.1;
    return has_form(values, {.id = "c", .text = "t", .where = "w", .form = form, .bound = bound}, spec);
}

/// Runs of one system at batch sizes 1, 2, 3 and so on, with times of an operator.
SystemRuns runs_of(const char* system, const char* operator_name, const std::vector<double>& times) {
    SystemRuns runs{.system = system};
    for (const double time : times) {
        MeasuredRun run{.name = "r", .batch_size = std::ssize(runs.runs) + 1, .epochs = 1};
        run.operators[operator_name].total_us = time;
        runs.runs.push_back(run);
    }
    return runs;
}

}  // namespace

TEST_CASE("a claim has a form over batch sizes") {
    using enum ClaimForm;
    CHECK(holds(above, {1.1, 2.0}, 1.0) == true);
    CHECK(holds(above, {1.0, 2.0}, 1.0) == false);
    CHECK(holds(at_least, {1.0, 2.0}, 1.0) == true);
    CHECK(holds(below, {1.0, 0.9}, 1.0) == false);
    CHECK(holds(at_most, {0.35, 0.1}, 0.35) == true);
    CHECK(holds(at_most, {0.36, 0.1}, 0.35) == false);
    CHECK(holds(rises, {1.0, 0.95, 2.0}) == true);
    CHECK(holds(rises, {1.0, 0.8, 2.0}) == false);
    CHECK(holds(rises, {1.0, 0.95, 0.9, 0.85, 2.0}) == false);  // small steps back that add up
    CHECK(holds(falls, {2.0, 2.1, 2.25, 1.0}) == false);
    CHECK(holds(rises, {1.0, 1.05}) == false);
    CHECK(holds(falls, {2.0, 1.0}) == true);
    CHECK(holds(falls, {1.0, 2.0}) == false);
    CHECK_FALSE(holds(falls, {1.0}).has_value());
    CHECK_FALSE(holds(above, {}, 1.0).has_value());
}

TEST_CASE("claims replicate, do not, or cannot be tested") {
    ReplicationSpec spec{.title = "t", .source = "s", .a = "a", .b = "b"};
    spec.measures["time"] = {.unit = "us", .terms = {{"", {{.operator_name = "*"}}}}};
    const auto claim = [](const char* id, const char* of, ClaimForm form, std::optional<double> bound) {
        return Claim{.id = id,
                     .text = "t",
                     .where = "w",
                     .measure = "time",
                     .row = "Relu",
                     .of = of,
                     .form = form,
                     .bound = bound};
    };
    spec.claims = {claim("ratio", "a/b", ClaimForm::above, 1.0),
                   claim("falls", "a", ClaimForm::falls, {}),
                   claim("up to", "a/b", ClaimForm::greatest, 39.0),
                   claim("far", "a/b", ClaimForm::greatest, 41.0),
                   {.id = "words", .text = "t", .where = "w"}};
    spec.claims.push_back(claim("none", "b", ClaimForm::above, 1.0));
    spec.claims.back().row = "Sum";
    spec.claims.push_back(claim("elsewhere", "b", ClaimForm::above, 1.0));
    spec.claims.back().experiments = {"other"};
    const OwnRuns runs{.a = runs_of("a", "Relu", {4, 8}), .b = runs_of("b", "Relu", {1, 4})};
    const auto judged = judged_claims({}, "m", runs, spec);
    REQUIRE(judged.size() == 6);
    CHECK(judged[0].outcome == Outcome::replicates);
    CHECK(judged[1].outcome == Outcome::does_not);
    CHECK(judged[2].outcome == Outcome::replicates);
    CHECK(judged[3].outcome == Outcome::does_not);
    CHECK(judged[4].outcome == Outcome::untested);
    CHECK(judged[5].outcome == Outcome::untested);
}

TEST_CASE("a claim that the published figures do not have is nothing to replicate") {
    ReplicationSpec spec{.title = "t", .source = "s", .a = "a", .b = "b"};
    spec.measures["time"] = {.unit = "us", .terms = {{"", {{.operator_name = "*"}}}}};
    const Claim falls{.id = "falls",
                      .text = "t",
                      .where = "w",
                      .measure = "time",
                      .row = "Relu",
                      .of = "a",
                      .form = ClaimForm::falls,
                      .tables = {"1"}};
    auto greatest = falls;
    greatest.form = ClaimForm::greatest;
    spec.claims = {falls, greatest};
    const auto figure = [](std::int64_t batch, double value) {
        return PublishedFigure{.table = "1",
                               .experiment = "m",
                               .row = "Relu",
                               .system = "a",
                               .quantity = "time",
                               .unit = "us",
                               .batch_size = batch,
                               .value = value};
    };
    const OwnRuns runs{.a = runs_of("a", "Relu", {8, 4}), .b = {}};
    const auto outcomes = [&](const std::vector<PublishedFigure>& published) {
        const auto judged = judged_claims(published, "m", runs, spec);
        return std::pair(judged.at(0).outcome, judged.at(1).outcome);
    };
    CHECK(outcomes({figure(1, 2), figure(2, 3)}) == std::pair(Outcome::not_published, Outcome::replicates));
    CHECK(outcomes({figure(1, 3), figure(2, 2)}) == std::pair(Outcome::replicates, Outcome::replicates));
    // The greatest is of the batch sizes that both have.
    CHECK(outcomes({figure(1, 6), figure(2, 5), figure(3, 900)}).second == Outcome::replicates);
    CHECK(outcomes({figure(2, 900)}).second == Outcome::does_not);
}

TEST_CASE("an extreme is one over the batch sizes that both have, and of repeats has their range") {
    ReplicationSpec spec{.title = "t", .source = "s", .a = "a", .b = "b"};
    spec.measures["time"] = {.unit = "us", .terms = {{"", {{.operator_name = "*"}}}}};
    const auto greatest = [](const char* of, std::vector<std::string> tables) {
        return Claim{.id = of,
                     .text = "t",
                     .where = "w",
                     .measure = "time",
                     .row = "Relu",
                     .of = of,
                     .form = ClaimForm::greatest,
                     .bound = 1.8,
                     .tables = std::move(tables)};
    };
    const auto outcome = [&](const Claim& claim, const std::vector<PublishedFigure>& published,
                             const OwnRuns& runs) {
        spec.claims = {claim};
        return judged_claims(published, "m", runs, spec).at(0).outcome;
    };
    const auto figure = [](std::int64_t batch, const char* system, double value) {
        return PublishedFigure{.table = "1",
                               .experiment = "m",
                               .row = "Relu",
                               .system = system,
                               .quantity = "time",
                               .unit = "us",
                               .batch_size = batch,
                               .value = value};
    };
    // A has no published figure at batch size 2, where ours is 500.
    CHECK(outcome(greatest("a", {"1"}), {figure(1, "a", 2), figure(2, "b", 3)},
                  {.a = runs_of("a", "Relu", {8, 500}), .b = {}}) == Outcome::replicates);
    OwnRuns repeated{.a = runs_of("a", "Relu", {0.9, 1.2}), .b = runs_of("b", "Relu", {1, 1})};
    for (auto* system : {&repeated.a, &repeated.b})
        for (auto& run : system->runs) run.batch_size = 1;
    CHECK(outcome(greatest("a/b", {}), {}, repeated) == Outcome::untested);
}

TEST_CASE("a row leads others by a factor") {
    ReplicationSpec spec{.title = "t", .source = "s", .a = "a", .b = "b"};
    spec.measures["time"] = {.unit = "us", .terms = {{"", {{.operator_name = "*"}}}}};
    spec.claims = {{.id = "leads",
                    .text = "t",
                    .where = "w",
                    .measure = "time",
                    .row = "Relu",
                    .of = "a",
                    .form = ClaimForm::leads,
                    .among = {"Relu", "Sum", "Mul"}}};
    OwnRuns runs{.a = runs_of("a", "Relu", {6, 6}), .b = {}};
    runs.a.runs[0].operators["Sum"].total_us = 3;
    runs.a.runs[1].operators["Sum"].total_us = 2;
    runs.a.runs[1].operators["Mul"].total_us = 4;
    const auto judged = judged_claims({}, "m", runs, spec);
    CHECK(judged[0].points[0].ours == 2.0);
    CHECK(judged[0].points[1].ours == 1.5);
    CHECK(judged[0].outcome == Outcome::replicates);
}
