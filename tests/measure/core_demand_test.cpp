#include "measure/core_demand.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;
using Nodes = std::vector<NodeThreads>;

TEST_CASE("nodes ask for the cores of their threads, emulated hosts for at most their limit") {
    CHECK(core_demand(Nodes{}) == 0.0);
    CHECK(core_demand(Nodes{{0, 2}, {1, 3}}) == 5.0);
    CHECK(core_demand(Nodes{{0, 1, 0, 0.35}, {1, 1, 1, 0.35}}) == Approx(0.7));
    CHECK(core_demand(Nodes{{0, 1, 0, 1.5}, {1, 1, 0, 1.5}}) == 1.5);  // two nodes of one host
    CHECK(core_demand(Nodes{{0, 1, 0, 4.0}, {1, 2, 1, {}}}) == 3.0);   // limits above the threads, and none
}

TEST_CASE("nodes that keep no more cores busy than there are need no word") {
    CHECK_FALSE(shared_cores(Nodes{{0, 1}, {1, 1}}, 2));
    CHECK_FALSE(shared_cores(Nodes{{0, 1, 0, 0.1}, {1, 1, 1, 0.2}, {2, 1, 2, 0.7}}, 1));
    CHECK_FALSE(shared_cores(Nodes{}, 1));
}

TEST_CASE("nodes that share cores are named, with their threads, the cores and what to do") {
    const auto plain = shared_cores(Nodes{{0, 1}, {1, 1}, {2, 1}, {3, 1}}, 2);
    REQUIRE(plain);
    CHECK(
        plain->cause ==
        "ranks 0 to 3 have 4 compute threads, and 2 cores are usable for them: times show how threads share "
        "cores, and not the strategy");
    CHECK_FALSE(plain->remedy.empty());
    const auto one = shared_cores(Nodes{{3, 2}}, 1);
    REQUIRE(one);
    CHECK(one->cause ==
          "rank 3 has 2 compute threads, and 1 core is usable for them: times show how threads share cores, "
          "and not the strategy");
    const auto limited = shared_cores(Nodes{{0, 2, 0, 1.2}, {1, 2, 1, 1.2}}, 2);
    REQUIRE(limited);
    CHECK(limited->cause ==
          "ranks 0 to 1 have 4 compute threads (at most 2.4 cores by the limits of their hosts), and 2 cores "
          "are usable for them: times show how threads share cores, and not the strategy");
}
