#include "cluster/standstill_watch.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using namespace std::chrono_literals;

namespace {

/// Whether the watch of two nodes tells a standstill of 10 beats within 100 beats of a second. In each, the
/// jobs use so much processor time.
bool stands_still(double one_us, double other_us) {
    StandstillWatch watch(2);
    TimePoint now{1h};
    for (int beat = 1; beat <= 100; ++beat) {
        now += 1s;
        watch.look(0, 5000 + beat * one_us, now);
        watch.look(1, 70 + beat * other_us, now);
        if (watch.is_overdue_after_beat(10)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("nodes that use no processor time stand still, also if their threads wake now and then") {
    CHECK(stands_still(0, 0));
    CHECK(stands_still(30, 0));
    CHECK(stands_still(20, 150));
}

TEST_CASE("a node that uses a thousandth of its time works, and the others with it") {
    CHECK_FALSE(stands_still(1000, 0));
    CHECK_FALSE(stands_still(0, 1000));
    CHECK_FALSE(stands_still(1e6, 1e6));
}

TEST_CASE("looks that follow each other at once allow one wake each, and no more") {
    StandstillWatch watch(1);
    TimePoint now{1h};
    watch.look(0, 0, now);
    for (int beat = 1; beat <= 3; ++beat) CHECK_FALSE(watch.is_overdue_after_beat(3));
    SECTION("a wake") {
        watch.look(0, 20, now += 1ms);
        CHECK(watch.is_overdue_after_beat(3));
    }
    SECTION("work") {
        watch.look(0, 900, now += 1ms);
        CHECK_FALSE(watch.is_overdue_after_beat(3));
    }
    SECTION("a word of the node") {
        watch.note_work();
        CHECK_FALSE(watch.is_overdue_after_beat(3));
    }
}

TEST_CASE("a standstill is told once") {
    StandstillWatch watch(1);
    int told = 0;
    for (int beat = 0; beat < 50; ++beat) told += watch.is_overdue_after_beat(4) ? 1 : 0;
    CHECK(told == 1);
}
