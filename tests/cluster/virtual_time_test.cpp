#include "cluster/virtual_time.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace convoy;

TEST_CASE("in virtual time things happen by their time, and of one time in the order of the calls") {
    VirtualTime time;
    std::string happened;
    time.later(2.0, [&] { happened += 'c'; });
    time.later(1.0, [&] {
        happened += 'a';
        time.later(1.0, [&] { happened += 'd'; });
    });
    time.later(1.0, [&] { happened += 'b'; });
    CHECK(time.next_s() == 1.0);
    while (time.next_s()) time.take_next();
    CHECK(happened == "abcd");
    CHECK(time.now_s() == 2.0);
}

TEST_CASE("a thing that virtual time has passed by happens now") {
    VirtualTime time;
    double at_s = 0.0;
    time.later(1.0, [&] { at_s = time.now_s(); });
    time.pass_to(3.0);
    time.take_next();
    CHECK(at_s == 3.0);
}

TEST_CASE("the clock goes on while its computer is suspended, and virtual time does not") {
    VirtualTime time;
    time.pass_to(1.0);
    const auto before = time.clock();
    time.suspend(60.0);
    CHECK(time.now_s() == 1.0);
    CHECK(Seconds(time.clock() - before).count() == Approx(60.0));
    CHECK(time.when_clock_shows(time.clock()) == Approx(1.0));
    CHECK(time.when_clock_shows(before) == Approx(-59.0));
}
