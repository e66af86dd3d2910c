#include "data/synthetic_digits.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <numeric>

#include "base/sha256.hpp"

using namespace convoy;

namespace {

std::string hash(std::uint64_t seed, SyntheticSplit split, std::uint32_t first, std::uint32_t count) {
    std::string bytes;
    for (auto i = first; i < first + count; ++i) {
        const auto image = synthetic_image(seed, split, i);
        bytes.append(image.begin(), image.end());
        bytes += static_cast<char>(synthetic_label(seed, split, i));
    }
    return sha256(bytes).substr(0, 16);
}

using Image = std::vector<float>;

Image read(const Dataset& dataset, std::uint32_t index) {
    Image values(784);
    dataset.read(index, values);
    return values;
}

double squared_distance(const Image& a, const Image& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                              [](float x, float y) { return (x - y) * (x - y); });
}

}  // namespace

TEST_CASE("synthetic digits are the same bits everywhere") {
    // Made by this generator when it was written: a change of these digits changes every result on them.
    CHECK(hash(1, SyntheticSplit::train, 0, 20) == "9f26a449b395efa2");
    CHECK(hash(1, SyntheticSplit::test, 0, 20) == "5a89ce1030f3523b");
    CHECK(hash(0x123456789ABCDEF0U, SyntheticSplit::train, 1000000, 5) == "ed6c9023d2a844ea");
}

TEST_CASE("a synthetic digit depends on seed, split and index") {
    const auto image = synthetic_image(1, SyntheticSplit::train, 5);
    CHECK(image == synthetic_image(1, SyntheticSplit::train, 5));
    CHECK(image != synthetic_image(2, SyntheticSplit::train, 5));
    CHECK(image != synthetic_image(1, SyntheticSplit::test, 5));
    CHECK(image != synthetic_image(1, SyntheticSplit::train, 6));
}

TEST_CASE("every ten synthetic digits hold each class once, in changing order") {
    std::vector<std::int32_t> first_of_group;
    for (std::uint32_t group = 0; group < 50; ++group) {
        std::vector<int> seen(10);
        for (std::uint32_t i = 0; i < 10; ++i) {
            ++seen.at(static_cast<std::size_t>(synthetic_label(1, SyntheticSplit::train, group * 10 + i)));
        }
        CHECK(seen == std::vector<int>(10, 1));
        first_of_group.push_back(synthetic_label(1, SyntheticSplit::train, group * 10));
    }
    std::sort(first_of_group.begin(), first_of_group.end());
    CHECK(std::unique(first_of_group.begin(), first_of_group.end()) - first_of_group.begin() == 10);
}

TEST_CASE("synthetic digits can be told apart, but not by their mean picture alone") {
    const auto train = synthetic_digits(1, SyntheticSplit::train, 2000, true);
    const auto test = synthetic_digits(1, SyntheticSplit::test, 1000, true);
    std::vector<Image> centroids(10, Image(784));
    double ink = 0.0;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        const auto image = read(train, i);
        auto& centroid = centroids[static_cast<std::size_t>(train.labels()[i])];
        for (std::size_t pixel = 0; pixel < 784; ++pixel) centroid[pixel] += image[pixel] / 200.0F;
        ink += std::accumulate(image.begin(), image.end(), 0.0);
    }
    int right = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const auto image = read(test, i);
        const auto nearest =
            std::min_element(centroids.begin(), centroids.end(), [&](const auto& a, const auto& b) {
                return squared_distance(a, image) < squared_distance(b, image);
            });
        right += nearest - centroids.begin() == test.labels()[i] ? 1 : 0;
    }
    INFO(right << " of 1000 by nearest centroid");
    CHECK(right > 500);
    CHECK(right < 900);
    CHECK(ink / 2000 / 784 == Approx(0.128).margin(0.03));  // about as much ink as MNIST, 0.1307
}
