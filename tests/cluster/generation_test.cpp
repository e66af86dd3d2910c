#include "cluster/generation.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

#include "spec/parse.hpp"

using namespace convoy;

namespace {

LaunchOptions three_nodes(const nlohmann::json& strategy = {{"name", "ring_allreduce"},
                                                            {"commit", "by_step"}}) {
    LaunchOptions options;
    options.spec = parse_spec({{"dataset", {{"name", "synthetic_digits"}}},
                               {"model", "mnist_cnn"},
                               {"nodes", 3},
                               {"strategy", strategy},
                               {"failures", {{"policy", "shrink"}}}});
    options.ranks = options.spec.rank_count();
    return options;
}

std::vector<Member> members(std::size_t count) {
    std::vector<Member> all(count);
    for (std::size_t rank = 0; rank < count; ++rank) all[rank].connection = rank + 1;
    return all;
}

/// Rank 1 is lost after step 7, and rank 2 has not done that step.
Regrouping without_rank_1() {
    return {.ranks = {0, 2}, .step = 7, .behind = {2}, .steps = {7, 6}, .signals = 1, .has_results = true};
}

NodeCheckpoint state_of_step(std::int64_t step) {
    NodeCheckpoint state;
    state.step = step;
    return state;
}

}  // namespace

TEST_CASE("nodes that go on have their seats, a run of their own, and the state that they lack") {
    const auto options = three_nodes();
    Generation generation(options);
    CHECK(generation.number() == 0);
    CHECK_FALSE(generation.membership_options().begun);
    CHECK_FALSE(generation.assignment({.rank = 1}, {}).assignment.resume);
    const auto first_run = generation.run();

    generation.take_state(state_of_step(7));
    CHECK(generation.has_state_of(7));
    CHECK_FALSE(generation.has_state_of(8));
    generation.go_on(without_rank_1(), members(3), {});
    CHECK(generation.number() == 1);
    CHECK(generation.run() != first_run);
    CHECK(generation.seats().size() == 2);
    const auto told = generation.going_on();
    CHECK(told.places == std::vector<std::int64_t>{0, 2});
    CHECK(told.step == 7);
    CHECK(told.nodes == 2);
    const auto next = generation.membership_options();
    CHECK(next.begun);
    CHECK(next.signals == 1);
    CHECK(next.has_results);
    const auto behind = generation.assignment({.rank = 1}, {}).assignment;
    CHECK(behind.world_size == 2);
    CHECK(behind.generation == 1);
    CHECK(behind.resume.value().step == 7);
    CHECK_FALSE(behind.apart);
    CHECK_FALSE(generation.assignment({.rank = 0}, {}).assignment.resume);
    generation.drop_state();
    CHECK_FALSE(generation.assignment({.rank = 1}, {}).assignment.resume);
}

TEST_CASE("a newcomer joins with the state of another, at the place of the lost node") {
    const auto options = three_nodes();
    Generation generation(options);
    generation.go_on(without_rank_1(), members(3), {});
    generation.take_state(state_of_step(9));
    const std::vector<Newcomers::Ready> ready{{.place = 1, .pid = 9, .connection = 9}};
    generation.go_on({.ranks = {0, 1}, .step = 9, .behind = {}, .steps = {9, 9}}, members(2), ready);
    CHECK(generation.going_on().joined == std::vector<std::int64_t>{1});
    CHECK_FALSE(generation.seats()[0].joins);
    CHECK(generation.seats()[1].joins);
    CHECK_FALSE(generation.seats()[2].joins);
    CHECK(generation.assignment({.rank = 1}, {}).assignment.resume.value().step == 9);
}

TEST_CASE("nodes that stand still in vain after one step are counted, those after others anew") {
    const auto options = three_nodes();
    Generation generation(options);
    const auto in_vain_at = [&](std::int64_t step) {
        generation.go_on(
            {.ranks = {0, 1, 2}, .step = step, .behind = {}, .steps = {step, step, step}, .in_vain = true},
            members(3), {});
        return generation.membership_options().waited_in_vain_at;
    };
    const auto most = options.spec.failures.restarts;
    REQUIRE(most > 1);
    for (std::int64_t i = 1; i < most; ++i) CHECK_FALSE(in_vain_at(4));
    CHECK_FALSE(in_vain_at(5));
    for (std::int64_t i = 2; i < most; ++i) CHECK_FALSE(in_vain_at(5));
    CHECK(in_vain_at(5) == 5);
}

TEST_CASE("workers that take steps apart are told where each goes on") {
    const auto options = three_nodes({{"name", "parameter_server"}, {"staleness", 2}});
    Generation generation(options);
    CHECK(generation.is_apart());
    CHECK_FALSE(generation.assignment({.rank = 0}, {}).assignment.apart);
    // Rank 3 is the server.
    generation.go_on({.ranks = {0, 2, 3}, .step = 5, .behind = {}, .steps = {8, 5, 5}}, members(4), {});
    const auto apart = generation.assignment({.rank = 0}, {}).assignment.apart;
    REQUIRE(apart);
    REQUIRE(apart->ranks.size() == 3);
    CHECK(apart->ranks[1].place == 2);
    CHECK(apart->ranks[1].step == 5);
}
