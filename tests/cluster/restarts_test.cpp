#include "cluster/restarts.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("a run that never gets on begins again so often, with growing pauses") {
    Restarts restarts(4, 0);
    CHECK(restarts.next(0) == 0s);
    CHECK(restarts.number() == 1);
    CHECK(restarts.next(0) == 1s);
    CHECK(restarts.next(0) == 2s);
    CHECK(restarts.next(0) == 4s);
    CHECK(restarts.number() == 4);
    CHECK_FALSE(restarts.next(0));
}

TEST_CASE("a newer checkpoint begins the count anew, and an older one does not") {
    Restarts restarts(2, 8);
    CHECK(restarts.next(8) == 0s);
    CHECK(restarts.next(12) == 0s);
    CHECK(restarts.next(12) == 1s);
    // The newest checkpoint was damaged.
    CHECK_FALSE(restarts.next(8));
    CHECK(restarts.next(16) == 0s);
}

TEST_CASE("no pause is longer than a minute") {
    Restarts restarts(1000, 0);
    for (int i = 0; i < 8; ++i) restarts.next(0);
    CHECK(restarts.next(0) == 60s);
    for (int i = 0; i < 900; ++i) CHECK(restarts.next(0) == 60s);
}
