#include "sweep/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/temporary_folder.hpp"
#include "sweep/sweep_tables.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// Four batch sizes, and a precision of 2% with 6 to 12 repeats.
Sweep precise_sweep() {
    const json content{
        {"base", {{"name", "small"}, {"dataset", {{"name", "synthetic_digits"}}}, {"model", "mnist_cnn"}}},
        {"grid", {{"batch_size", {16, 32, 64, 128}}}},
        {"precision", 0.02},
        {"repeats", 6},
        {"most_repeats", 12}};
    const TemporaryFolder folder;
    return load_sweep(folder.write("sweep.json", content.dump()));
}

SweepEntry done(double step_us) {
    return {.state = RunState::done, .error = {}, .code = 0, .summary = {{"step_us", {{"p50", step_us}}}}};
}

/// Entries in which the first runs of one setting took these times.
std::vector<SweepEntry> entries_with(const Sweep& sweep, std::size_t setting,
                                     const std::vector<double>& times_us) {
    std::vector<SweepEntry> entries(sweep.runs.size());
    for (std::size_t repeat = 0; repeat < times_us.size(); ++repeat)
        entries[sweep.position(setting, static_cast<std::int64_t>(repeat))] = done(times_us[repeat]);
    return entries;
}

bool is_needed_alone(const Sweep& sweep, std::size_t run, const EntryOfRun& entry_of) {
    return is_needed(std::array{SweepInTraining{.sweep = &sweep, .entry_of = entry_of}}, 0, run);
}

/// Whether the repeat that follows these times is needed.
bool is_next_needed(const std::vector<double>& times_us) {
    const auto sweep = precise_sweep();
    const auto entries = entries_with(sweep, 1, times_us);
    return is_needed_alone(sweep, sweep.position(1, std::ssize(times_us)),
                           [&](std::size_t run) { return entries[run]; });
}

}  // namespace

TEST_CASE("each repeat has its settings in an order of its own, the same one each time") {
    const auto sweep = precise_sweep();
    const auto again = precise_sweep();
    const auto order = training_order(std::array{&sweep});
    CHECK(order == training_order(std::array{&again}));
    REQUIRE(order.size() == sweep.runs.size());
    std::vector<std::vector<std::size_t>> settings(12);
    for (std::size_t i = 0; i < order.size(); ++i) {
        CHECK(sweep.runs[order[i].run].repeat == static_cast<std::int64_t>(i / 4));  // repeat after repeat
        settings[i / 4].push_back(sweep.setting_of(order[i].run));
    }
    const std::vector<std::size_t> as_in_grid{0, 1, 2, 3};
    for (auto& of_repeat : settings) CHECK(std::ranges::is_permutation(of_repeat, as_in_grid));
    std::ranges::sort(settings);
    CHECK(settings.front() != settings.back());
}

TEST_CASE("sweeps that are trained together take turns, repeat by repeat") {
    const auto one = precise_sweep();
    auto fewer = precise_sweep();
    fewer.most_repeats = 3;
    fewer.runs.resize(3 * 4);
    const auto order = training_order(std::array<const Sweep*, 2>{&one, &fewer});
    REQUIRE(order.size() == one.runs.size() + fewer.runs.size());
    std::array<std::size_t, 2> runs_of{};
    bool changes = false;  // not all runs of the one first
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto& sweep = order[i].sweep == 0 ? one : fewer;
        const auto repeat = i < 3 * 8 ? i / 8 : 3 + (i - 3 * 8) / 4;
        CHECK(sweep.runs[order[i].run].repeat == static_cast<std::int64_t>(repeat));
        ++runs_of[order[i].sweep];
        changes |= i < 4 && order[i].sweep != order[0].sweep;
    }
    CHECK(runs_of == std::array<std::size_t, 2>{one.runs.size(), fewer.runs.size()});
    CHECK(changes);
}

TEST_CASE("a setting is repeated until its median is known as precisely as the sweep asks") {
    CHECK(is_next_needed({}));  // the first repeats always are
    CHECK(is_next_needed({100, 100, 100, 100, 100}));
    CHECK_FALSE(is_next_needed({100, 99, 101, 100, 98.5, 101.5}));             // 98.5 to 101.5: 1.5%
    CHECK(is_next_needed({100, 99, 101, 100, 97, 103}));                       // 3%
    CHECK_FALSE(is_next_needed({100, 99, 101, 100, 97, 103, 100, 100, 100}));  // 9 values: without the ends
}

TEST_CASE("a setting with a run that failed is not repeated beyond the first repeats") {
    const auto sweep = precise_sweep();
    auto entries = entries_with(sweep, 1, {100, 90, 110, 100, 80, 120});
    const auto entry_of = [&](std::size_t run) { return entries[run]; };
    const auto next = sweep.position(1, 6);
    CHECK(is_needed_alone(sweep, next, entry_of));
    entries[sweep.position(1, 2)] = {.state = RunState::failed, .error = "x", .code = 74, .summary = {}};
    CHECK_FALSE(is_needed_alone(sweep, next, entry_of));
    CHECK(is_needed_alone(sweep, sweep.position(1, 5), entry_of));
}

TEST_CASE("a setting is repeated until so many of its runs are undisturbed") {
    auto sweep = precise_sweep();
    sweep.precision.reset();
    sweep.undisturbed_repeats = 7;
    const auto run = [](std::optional<double> undisturbed_us, double look_us, double undisturbed_pct = 60) {
        auto entry = done(100);
        entry.summary["measurement"]["undisturbed_pct"] = undisturbed_pct;
        entry.summary["measurement"]["core_look_us"] = look_us;
        if (undisturbed_us) entry.summary["step_us"]["undisturbed"] = *undisturbed_us;
        return entry;
    };
    std::vector<SweepEntry> entries(sweep.runs.size());
    const auto entry_of = [&](std::size_t position) { return entries[position]; };
    const auto is_next_needed_after = [&](std::int64_t repeats) {
        return is_needed_alone(sweep, sweep.position(1, repeats), entry_of);
    };
    for (std::int64_t repeat = 0; repeat < 6; ++repeat) entries[sweep.position(1, repeat)] = run(90, 9.0);
    CHECK(is_next_needed_after(6));
    entries[sweep.position(1, 6)] = run(130, 12.0);  // its core was slow all the time
    CHECK(is_next_needed_after(7));
    entries[sweep.position(1, 7)] = run({}, 9.0);  // too few steps were undisturbed
    CHECK(is_next_needed_after(8));
    CHECK_THAT(undisturbed_lines(sweep, entries),
               Contains("undisturbed: batch_size=32: 6 of 8 runs count as undisturbed, not 7\n") &&
                   Contains("0 of 0 runs"));
    entries[sweep.position(1, 8)] = run(91, 9.4, 20);  // less than a quarter was
    CHECK(is_next_needed_after(9));
    entries[sweep.position(1, 8)] = run(91, 9.4);
    CHECK_FALSE(is_next_needed_after(9));
    CHECK_THAT(undisturbed_lines(sweep, entries), !Contains("batch_size=32"));
    // A run whose core was quicker than the others' does not count either.
    entries[sweep.position(1, 0)] = run(60, 5.0);
    CHECK(is_next_needed_after(9));
    CHECK_THAT(trust_lines(sweep, entries), Contains("count as undisturbed, not 7"));
    sweep.undisturbed_repeats.reset();
    CHECK(undisturbed_lines(sweep, entries).empty());
}

TEST_CASE("what counts as undisturbed is measured by all sweeps that are trained together") {
    auto sweep = precise_sweep();
    sweep.precision.reset();
    sweep.undisturbed_repeats = 2;
    std::vector<SweepEntry> entries(sweep.runs.size());
    const auto entry_of = [&](std::size_t position) { return entries[position]; };
    for (std::int64_t repeat = 0; repeat < 6; ++repeat) {
        auto& entry = entries[sweep.position(1, repeat)] = done(100);
        entry.summary["measurement"]["core_look_us"] = 10.0;
        entry.summary["step_us"]["undisturbed"] = 90;
    }
    const auto next = sweep.position(1, 6);
    // Another sweep of the same setting, whose first runs had these looks.
    auto other = sweep;
    bool other_fails = false;
    const auto needed_beside = [&](const std::vector<double>& looks_us,
                                   std::optional<std::int64_t> asked = {}) {
        other.undisturbed_repeats = asked;
        std::vector<SweepEntry> of_other(other.runs.size());
        for (std::size_t repeat = 0; repeat < looks_us.size(); ++repeat) {
            auto& entry = of_other[other.position(1, static_cast<std::int64_t>(repeat))] = done(100);
            entry.summary["measurement"]["core_look_us"] = looks_us[repeat];
            entry.summary["step_us"]["undisturbed"] = 90;
            if (other_fails && repeat == 0) entry.state = RunState::failed;
        }
        return is_needed(
            std::array{
                SweepInTraining{.sweep = &other, .entry_of = [&](std::size_t run) { return of_other[run]; }},
                SweepInTraining{.sweep = &sweep, .entry_of = entry_of}},
            1, next);
    };
    CHECK_FALSE(is_needed_alone(sweep, next, entry_of));
    CHECK_FALSE(needed_beside({9.53, 9.6}));
    CHECK(needed_beside({9.5, 9.5}));
    CHECK_FALSE(needed_beside({}));
    // Where the other one lacks runs, both go on.
    CHECK_FALSE(needed_beside({10.0, 10.0, 12.0}, 2));
    CHECK(needed_beside({10.0, 10.0, 12.0}, 3));
    CHECK(needed_beside({}, 2));
    // But not where it can train no more, or failed, or varies another field, or this one asks for none.
    other.most_repeats = 6;
    CHECK_FALSE(needed_beside({10.0, 10.0, 12.0}, 3));
    other.most_repeats = sweep.most_repeats;
    other_fails = true;
    CHECK_FALSE(needed_beside({10.0, 10.0, 12.0}, 3));
    CHECK_FALSE(needed_beside({9.5, 9.5}));
    other_fails = false;
    other.axes[0].field = "nodes";
    CHECK_FALSE(needed_beside({10.0, 10.0, 12.0}, 3));
    other.axes = sweep.axes;
    sweep.undisturbed_repeats.reset();
    CHECK_FALSE(needed_beside({10.0, 10.0, 12.0}, 3));
    sweep.undisturbed_repeats = 2;
    // Repeats to come do not count.
    CHECK(needed_beside({9.5, 9.5, 9.5, 9.5, 9.5, 9.5, 10.0}));
    // Two looks are alike to those elsewhere, and then one is.
    for (std::int64_t repeat = 0; repeat < 2; ++repeat)
        entries[sweep.position(1, repeat)].summary["measurement"]["core_look_us"] = 9.5;
    CHECK_FALSE(needed_beside({9.5, 9.5}));
    entries[sweep.position(1, 0)].summary["measurement"]["core_look_us"] = 10.0;
    CHECK(needed_beside({9.5, 9.5}));
    SECTION("a failed run ends it") {
        entries[sweep.position(1, 2)] = {.state = RunState::failed, .error = "x", .code = 74, .summary = {}};
        CHECK_FALSE(needed_beside({8.0}));
    }
    SECTION("a run without a look does not count") {
        for (std::int64_t repeat = 0; repeat < 5; ++repeat)
            entries[sweep.position(1, repeat)].summary["measurement"].erase("core_look_us");
        CHECK(is_needed_alone(sweep, next, entry_of));
    }
    SECTION("where no run was undisturbed enough, further ones may be") {
        for (std::int64_t repeat = 0; repeat < 6; ++repeat)
            entries[sweep.position(1, repeat)].summary["measurement"]["undisturbed_pct"] = 20;
        CHECK(is_needed_alone(sweep, next, entry_of));
    }
    SECTION("where no run has undisturbed steps, none is repeated for it") {
        for (std::int64_t repeat = 0; repeat < 6; ++repeat)
            entries[sweep.position(1, repeat)].summary["step_us"].erase("undisturbed");
        CHECK_FALSE(is_needed_alone(sweep, next, entry_of));
        CHECK_FALSE(needed_beside({10.0, 10.0, 12.0}, 3));
    }
    SECTION("with a precision, both must hold") {
        sweep.precision = 0.02;
        CHECK_FALSE(is_needed_alone(sweep, next, entry_of));
        CHECK(needed_beside({8.0}));
        for (std::int64_t repeat = 0; repeat < 6; ++repeat)
            entries[sweep.position(1, repeat)].summary["step_us"]["p50"] =
                100.0 + 10.0 * static_cast<double>(repeat);
        CHECK(is_needed_alone(sweep, next, entry_of));
    }
}

TEST_CASE("the rule by which settings are repeated is told in a sentence") {
    auto sweep = precise_sweep();
    const auto runs = fmt::format("After {} runs a setting was repeated until ", sweep.repeats);
    const auto most = fmt::format("; it had at most {} runs.", sweep.most_repeats);
    const std::string precise =
        "half the width of the 95% interval of its median step time was at most 2% of the median";
    CHECK(repetition_rule(sweep) == runs + precise + most);
    sweep.undisturbed_repeats = 5;
    const std::string undisturbed =
        "5 of its runs, also in each sweep that was trained together with this one, had been measured on "
        "undisturbed cores whose speeds differed by less than 5%";
    CHECK(repetition_rule(sweep) == runs + precise + " and " + undisturbed + most);
    sweep.precision.reset();
    CHECK(repetition_rule(sweep) == runs + undisturbed + most);
    sweep.undisturbed_repeats.reset();
    CHECK(repetition_rule(sweep).empty());
}

TEST_CASE("tables leave out the repeats that no setting needed") {
    const auto sweep = precise_sweep();
    const auto entries = entries_with(sweep, 1, {100, 99, 101, 100, 98.5, 101.5, 100});
    CHECK(runs_table(sweep, entries).rows.size() == 4 * 6 + 1);
    CHECK(plan_table(sweep, entries).rows.size() == 4 * 6 + 1);
}

TEST_CASE("a sweep names the settings that stay less precise than it asks") {
    const auto sweep = precise_sweep();
    const auto lines = precision_lines(sweep, entries_with(sweep, 1, {100, 90, 110, 100, 95, 105}));
    CHECK_THAT(lines, Contains("precision: batch_size=32: the median step time of 6 runs is known to 10.0%, "
                               "not to 2.0%\n"));
    CHECK_THAT(lines, Contains("batch_size=64: 0 runs are too few to say"));
    CHECK_THAT(precision_lines(sweep, entries_with(sweep, 1, {100, 100, 100, 100, 100, 100})),
               !Contains("batch_size=32"));
}

TEST_CASE("a run whose step time lies far from those of its setting is marked") {
    const auto sweep = precise_sweep();
    const auto entries = entries_with(sweep, 1, {100, 101, 99, 100.5, 180, 99.5});
    const auto outlying = outlying_runs(sweep, entries);
    CHECK(std::ranges::count(outlying, true) == 1);
    CHECK(outlying[sweep.position(1, 4)]);
    CHECK(outlier_lines(sweep, entries) ==
          "outliers: batch_size=32: the step time of 1 run lies far from the others; runs.csv says which\n");
    CHECK(outlier_lines(sweep, std::vector<SweepEntry>(sweep.runs.size())).empty());
}
