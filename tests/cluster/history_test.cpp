#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>

#include "cluster/simulated_run.hpp"
#include "support/sanitized.hpp"

namespace {

/// Sanitized code plays a tenth of them in the same time. CONVOY_HISTORIES=COUNT plays another number.
std::uint64_t histories() {
    const char* given = std::getenv("CONVOY_HISTORIES");
    if (given != nullptr) return std::stoull(given);
    return convoy::test::is_sanitized ? 1'000 : 10'000;
}

using Draw = HistoryPlan (*)(std::uint64_t seed);

/// The rules that the history of a seed breaks, with the plan; empty where it breaks none.
std::string broken_rules(const HistoryPlan& plan) {
    SimulatedRun run(plan);
    run.play();
    if (run.violations().empty()) return {};
    auto text = plan.text();
    for (const auto& violation : run.violations()) text += "\n    " + violation;
    return text;
}

/// CONVOY_HISTORY=SEED plays one history and prints all that happens in it.
void check_histories(Draw draw) {
    if (const char* given = std::getenv("CONVOY_HISTORY"); given != nullptr) {
        SimulatedRun run(draw(std::stoull(given)), true);
        run.play();
        std::cout << draw(std::stoull(given)).text() << '\n';
        for (const auto& line : run.log()) std::cout << line << '\n';
        CHECK(run.violations().empty());
        return;
    }
    constexpr int most_told = 10;
    int broken = 0;
    for (std::uint64_t seed = 1; seed <= histories() && broken < most_told; ++seed) {
        const auto rules = broken_rules(draw(seed));
        if (rules.empty()) continue;
        ++broken;
        UNSCOPED_INFO(rules);
    }
    CHECK(broken == 0);
}

}  // namespace

TEST_CASE("histories of joins, faults, delays and signals keep the rules of a run") {
    check_histories(draw_history);
}

TEST_CASE("histories of runs whose nodes change keep the rules of a run") {
    check_histories(draw_history_of_changes);
}

// lets_live, forgets: two groups of nodes may each think that they are the run. keeps_ghost: a killed member
// keeps a quorum open.
TEST_CASE("a bug in the membership machine or in a sum breaks the rules of a history") {
    const auto bug = GENERATE(Bug::lets_live, Bug::keeps_ghost, Bug::forgets, Bug::steps_back,
                              Bug::keeps_behind, Bug::sums_old_part);
    CAPTURE(static_cast<int>(bug));
    constexpr std::uint64_t most = 10'000;
    const auto finds = [bug](std::uint64_t seed) {
        auto plan = draw_history_of_changes(seed);
        plan.bug = bug;
        return !broken_rules(plan).empty();
    };
    std::uint64_t seed = 1;
    while (seed <= most && !finds(seed)) ++seed;
    CHECK(seed <= most);
    WARN("found by history " << seed);
}

TEST_CASE("a history is the same each time") {
    const auto draw = GENERATE(&draw_history, &draw_history_of_changes);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SimulatedRun once(draw(seed), true), again(draw(seed), true);
        once.play();
        again.play();
        CHECK(once.log() == again.log());
        CHECK_FALSE(once.log().empty());
    }
}
