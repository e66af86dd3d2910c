#include "collective/ring_schedule.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <vector>

using convoy::ElementRange;
using convoy::RingSchedule;
using convoy::RingTurn;

namespace {

std::vector<RingTurn> turns(const RingSchedule& schedule) {
    std::vector<RingTurn> all;
    RingSchedule::Walk walk(schedule);
    RingTurn turn;
    while (walk.next(turn)) all.push_back(turn);
    return all;
}

}  // namespace

TEST_CASE("parts are nearly equal, aligned and cover the whole") {
    for (const std::uint64_t count : {0U, 1U, 15U, 16U, 17U, 1000U, 4096U}) {
        for (const std::uint64_t parts : {1U, 2U, 3U, 7U, 100U}) {
            std::uint64_t next = 32, smallest = count, largest = 0;
            for (std::uint64_t i = 0; i < parts; ++i) {
                const auto part = convoy::part_of({32, count}, parts, i);
                CHECK(part.first == next);
                CHECK((part.first % convoy::chunk_unit == 0 || part.first == 32 + count));
                next += part.count;
                smallest = std::min(smallest, part.count);
                largest = std::max(largest, part.count);
            }
            CHECK(next == 32 + count);
            CHECK(largest - smallest <= 2 * convoy::chunk_unit);
        }
    }
}

TEST_CASE("three ranks, one block: the steps of the paper") {
    // chunks of 16 elements at 0, 16 and 32; rank 1 sends chunk 1, 0, 2, 1 and receives 0, 2, 1, 0
    const auto found = turns(RingSchedule(1, 3, 48, 16, 1));
    const std::vector<RingTurn> expected{{0, 0, {16, 16}, {0, 16}},
                                         {0, 1, {0, 16}, {32, 16}},
                                         {0, 2, {32, 16}, {16, 16}},
                                         {0, 3, {16, 16}, {0, 16}}};
    CHECK(found == expected);
}

TEST_CASE("what a rank sends is what its right neighbour expects, turn by turn") {
    for (const std::uint64_t ranks : {2U, 3U, 4U, 8U}) {
        for (const std::uint64_t depth : {1U, 2U, 5U, 100U}) {
            for (std::uint64_t rank = 0; rank < ranks; ++rank) {
                const auto mine = turns(RingSchedule(rank, ranks, 10'007, 160, depth));
                const auto right = turns(RingSchedule((rank + 1) % ranks, ranks, 10'007, 160, depth));
                REQUIRE(mine.size() == right.size());
                for (std::size_t i = 0; i < mine.size(); ++i) {
                    REQUIRE(mine[i].block == right[i].block);
                    REQUIRE(mine[i].step == right[i].step);
                    REQUIRE(mine[i].send == right[i].receive);
                }
            }
        }
    }
}

TEST_CASE("a rank sends only what it received the step before, and receives every element") {
    for (const std::uint64_t ranks : {2U, 3U, 5U}) {
        const RingSchedule schedule(1, ranks, 5000, 64, 3);
        std::map<std::uint64_t, RingTurn> last;  // by block
        std::uint64_t added = 0, stored = 0;
        for (const auto& turn : turns(schedule)) {
            if (turn.step > 0) {
                REQUIRE(last.at(turn.block).step + 1 == turn.step);
                REQUIRE(last.at(turn.block).receive == turn.send);
            }
            last[turn.block] = turn;
            (schedule.adds(turn.step) ? added : stored) += turn.receive.count;
            CHECK(turn.receive.count <= schedule.largest_segment());
        }
        CHECK(last.size() == schedule.blocks());
        CHECK(added > 5000 * (ranks - 1) / ranks - 2000);
        CHECK(stored > 5000 * (ranks - 1) / ranks - 2000);
    }
}

TEST_CASE("no segment is larger than asked, but for its rounding") {
    for (const std::uint64_t segment : {1U, 16U, 100U, 1000U}) {
        const RingSchedule schedule(0, 3, 12'345, segment, 1);
        CHECK(schedule.largest_segment() <= (segment + 15) / 16 * 16);
    }
}

TEST_CASE("one rank has no turns") {
    CHECK(turns(RingSchedule(0, 1, 1000, 16, 1)).empty());
}
