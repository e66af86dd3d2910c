#include "sweep/alike_cores.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace convoy;

namespace {

using Looks = std::vector<double>;

std::optional<double> quickest_of(const std::array<Looks, 2>& looks_us) {
    const auto found = alike_cores(looks_us);
    return found ? std::optional(found->quickest_us) : std::nullopt;
}

}  // namespace

TEST_CASE("looks within 5% of the quickest one of a range are alike") {
    const AlikeCores range{.quickest_us = 4.0};
    CHECK(range.contains(4.0));
    CHECK(range.contains(4.19));
    CHECK_FALSE(range.contains(4.2));  // exactly 1.05 times as long
    CHECK_FALSE(range.contains(3.99));
}

TEST_CASE("a step is put to the quickest core by its look") {
    const AlikeCores range{.quickest_us = 4.0};
    CHECK(range.on_quickest_us(90.0, 4.0) == 90.0);
    CHECK(range.on_quickest_us(92.7, 4.12) == Approx(90.0));
}

TEST_CASE("most runs decide which cores are alike") {
    CHECK(quickest_of({Looks{4.0, 4.1, 3.5, 5.6}, Looks{4.05, 4.15, 3.6, 4.19}}) == 4.0);
    // Of equal ranges the quickest.
    CHECK(quickest_of({Looks{4.0, 5.0}, Looks{5.1, 4.1}}) == 4.0);
    // The sample with the fewest counts: 5.0 to 5.1 has more runs in all.
    CHECK(quickest_of({Looks{4.0, 4.0, 5.0, 5.1, 5.1, 5.1}, Looks{4.1, 4.1, 5.0}}) == 4.0);
    CHECK(quickest_of({Looks{5.0, 4.0}, Looks{}}) == 4.0);
}

TEST_CASE("without a range that has a run of each sample, no cores are alike") {
    CHECK_FALSE(quickest_of({Looks{4.0, 4.1}, Looks{4.5, 9.0}}));
    CHECK_FALSE(quickest_of({Looks{}, Looks{}}));
    CHECK_FALSE(alike_cores({}));
}
