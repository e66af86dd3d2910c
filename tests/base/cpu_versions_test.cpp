#include "base/cpu_versions.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

using namespace convoy;

TEST_CASE("work is done once, by the version for this processor") {
    std::vector<float> values(1001);
    std::iota(values.begin(), values.end(), 0.0F);
    float sum = 0.0F;
    in_cpu_version([&values, &sum, factor = 2.0F] {
        for (auto& value : values) value *= factor;
        sum = std::accumulate(values.begin(), values.end(), 0.0F);
    });
    CHECK(values[1000] == 2000.0F);
    CHECK(sum == 1001000.0F);
}
