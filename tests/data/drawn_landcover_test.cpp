#include "data/drawn_landcover.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

using namespace convoy;

namespace {

using Values = std::vector<float>;

Values pixels_at(const Dataset& dataset, std::uint32_t index) {
    Values values(static_cast<std::size_t>(dataset.example_shape().elements()));
    dataset.read(index, values);
    return values;
}

double squared_distance(const Values& a, const Values& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                              [](float x, float y) { return (x - y) * (x - y); });
}

}  // namespace

TEST_CASE("drawn land cover has the shapes of the scene, and the same pixels however it is read") {
    const auto cached = drawn_landcover(1, LandcoverSplit::train, 40, true);
    const auto anew = drawn_landcover(1, LandcoverSplit::train, 90, false);
    CHECK(cached.example_shape().text() == "hyperspectral 1x1x144, lidar 21x7x7");
    CHECK(cached.classes() == 15);
    for (const std::uint32_t i : {0U, 17U, 39U}) {
        CHECK(pixels_at(cached, i) == pixels_at(anew, i));
        CHECK(cached.labels()[i] == anew.labels()[i]);
    }
    CHECK(pixels_at(cached, 3) != pixels_at(drawn_landcover(2, LandcoverSplit::train, 4, true), 3));
    CHECK(pixels_at(cached, 3) != pixels_at(drawn_landcover(1, LandcoverSplit::test, 4, true), 3));
}

TEST_CASE("every fifteen pixels have each class once, in changing order") {
    const auto pixels = drawn_landcover(1, LandcoverSplit::train, 300, false, {.values = false});
    const auto labels = pixels.labels();
    std::vector<std::int32_t> firsts;
    for (std::size_t group = 0; group < 20; ++group) {
        std::vector<std::int32_t> sorted(labels.begin() + static_cast<std::ptrdiff_t>(15 * group),
                                         labels.begin() + static_cast<std::ptrdiff_t>(15 * group + 15));
        firsts.push_back(sorted.front());
        std::ranges::sort(sorted);
        for (std::int32_t i = 0; i < 15; ++i) CHECK(sorted[static_cast<std::size_t>(i)] == i);
    }
    CHECK(std::ranges::count(firsts, firsts.front()) < 10);
}

TEST_CASE("pixels of drawn land cover can be told apart by either branch") {
    const auto train = drawn_landcover(1, LandcoverSplit::train, 300, true);
    const auto test = drawn_landcover(1, LandcoverSplit::test, 150, true);
    for (const auto& [first, count] : {std::pair{0, 144}, std::pair{144, 1029}}) {
        const auto part = [&](const Dataset& dataset, std::uint32_t index) {
            const auto all = pixels_at(dataset, index);
            return Values(all.begin() + first, all.begin() + first + count);
        };
        std::vector<Values> centroids(15, Values(static_cast<std::size_t>(count)));
        for (std::uint32_t i = 0; i < 300; ++i) {
            auto& centroid = centroids[static_cast<std::size_t>(train.labels()[i])];
            const auto values = part(train, i);
            for (std::size_t k = 0; k < values.size(); ++k) centroid[k] += values[k] / 20.0F;
        }
        int right = 0;
        for (std::uint32_t i = 0; i < 150; ++i) {
            const auto values = part(test, i);
            const auto nearest = std::ranges::min_element(
                centroids, {}, [&](const Values& centroid) { return squared_distance(centroid, values); });
            right += nearest - centroids.begin() == test.labels()[i] ? 1 : 0;
        }
        INFO(right << " of 150 by nearest centroid");
        CHECK(right > 90);
    }
}
