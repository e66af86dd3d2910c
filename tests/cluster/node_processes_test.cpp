#include "cluster/node_processes.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;

namespace {

/// Members with connections 11, 12, ... by rank.
std::vector<Member> members(std::size_t count) {
    std::vector<Member> all(count);
    for (std::size_t rank = 0; rank < count; ++rank) all[rank].connection = 11 + rank;
    return all;
}

}  // namespace

TEST_CASE("nodes that go on keep their processes and get new ranks, by place") {
    NodeProcesses processes(4);
    for (std::int64_t rank = 0; rank < 4; ++rank) processes.at(rank).pid = 100 + rank;
    processes.go_on({.ranks = {0, 2, 3}, .step = 8, .behind = {2}, .steps = {8, 7, 8}}, members(4), {});
    CHECK(processes.places() == std::vector<std::int64_t>{0, 2, 3});
    CHECK(processes.joined_places().empty());
    CHECK(processes.rank_of(2) == 1);
    CHECK_FALSE(processes.rank_of(1));
    CHECK(processes.at(1).pid == 102);
    CHECK(processes.at(1).connection == 13);
    CHECK(processes.at(1).needs_state);
    CHECK(processes.at(1).step == 7);
    CHECK_FALSE(processes.at(2).needs_state);
    CHECK(processes.has_connection(14));
    CHECK_FALSE(processes.has_connection(12));

    const std::vector<Newcomers::Ready> ready{{.place = 1, .pid = 200, .connection = 20}};
    processes.go_on({.ranks = {0, 1, 2}, .step = 9, .behind = {}, .steps = {9, 9, 9}}, members(3), ready);
    CHECK(processes.places() == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(processes.joined_places() == std::vector<std::int64_t>{1});
    CHECK(processes.at(1).pid == 200);
    CHECK(processes.at(1).needs_state);
    CHECK_FALSE(processes.at(2).needs_state);
    CHECK(processes.at(2).connection == 12);

    // Also where no process has a number, as over ssh.
    NodeProcesses far(2);
    far.go_on({.ranks = {0}, .step = 3, .behind = {}, .steps = {3}}, members(2), {});
    const std::vector<Newcomers::Ready> again{{.place = 1, .pid = 0, .connection = 20}};
    far.go_on({.ranks = {0}, .step = 4, .behind = {}, .steps = {4}}, members(1), again);
    CHECK(far.joined_places() == std::vector<std::int64_t>{1});

    processes.go_on({.ranks = {0, 1, 2, 3}, .step = 9, .behind = {}, .steps = {9, 9, 9, 9}}, members(4), {});
    CHECK(processes.joined_places().empty());
    CHECK_FALSE(processes.at(1).needs_state);
}
