#include "strategy/server_slices.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "strategy/buckets.hpp"
#include "strategy/programs.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

std::vector<Bucket> buckets_of(const std::vector<std::int64_t>& elements) {
    std::vector<Bucket> buckets;
    for (const auto count : elements) {
        auto& bucket = buckets.emplace_back();
        bucket.storage = static_cast<TensorId>(buckets.size());
        bucket.elements = count;
    }
    return buckets;
}

std::vector<std::uint64_t> loads_of(const std::vector<std::vector<ServerSlice>>& slices,
                                    std::int64_t servers) {
    std::vector<std::uint64_t> loads(static_cast<std::size_t>(servers), 0);
    for (const auto& of_bucket : slices)
        for (const auto& slice : of_bucket)
            loads.at(static_cast<std::size_t>(slice.server)) += slice.range.count;
    return loads;
}

constexpr std::int64_t whole = std::int64_t{1} << 40;

}  // namespace

TEST_CASE("slices cover each bucket once, and servers have equally many elements") {
    std::minstd_rand random(3);
    const auto draw = [&](std::int64_t most) { return static_cast<std::int64_t>(random() % most) + 1; };
    for (int round = 0; round < 200; ++round) {
        const auto servers = draw(8);
        std::vector<std::int64_t> elements{16 * draw(2'000'000)};
        for (auto more = draw(20); more > 0; --more) elements.push_back(16 * draw(20'000));
        const auto buckets = buckets_of(elements);
        const auto slice_bytes = 64 * draw(100'000);
        const auto slices = server_slices(buckets, servers, slice_bytes, TensorCut::anywhere);
        REQUIRE(slices.size() == buckets.size());
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            auto ranges = slices[i];
            for (std::size_t k = 0; k < ranges.size(); ++k) {
                CHECK(ranges[k].index == k);
                CHECK(ranges[k].range.count > 0);
                CHECK(ranges[k].range.first % chunk_unit == 0);
                CHECK(ranges[k].range.count * 4 < static_cast<std::uint64_t>(slice_bytes) + 4 * chunk_unit);
            }
            std::ranges::sort(ranges, {}, [](const ServerSlice& slice) { return slice.range.first; });
            std::uint64_t next = 0;
            for (const auto& slice : ranges) {
                CHECK(slice.range.first == next);
                next += slice.range.count;
            }
            CHECK(next == static_cast<std::uint64_t>(buckets[i].elements));
        }
        const auto [least, most] = std::ranges::minmax(loads_of(slices, servers));
        INFO("servers: " << servers << ", largest bucket: " << elements.front());
        const bool can_level = elements.front() > 200'000;  // more than the small buckets can leave uneven
        if (can_level) CHECK(static_cast<double>(most) <= 1.02 * static_cast<double>(least));
    }
}

TEST_CASE("the parameters of mnist_cnn are shared evenly by any number of servers") {
    auto program = instantiate(mnist_cnn(), ProgramKind::train, {.batch = 4, .layout_batch = 4});
    plan_buckets(program, {});
    for (std::int64_t servers = 1; servers <= 16; ++servers) {
        const auto slices = server_slices(program.buckets, servers, 1 << 19, TensorCut::anywhere);
        const auto [least, most] = std::ranges::minmax(loads_of(slices, servers));
        CHECK(static_cast<double>(most) <= 1.02 * static_cast<double>(least));
    }
}

TEST_CASE("small buckets stay whole, and the largest levels the loads") {
    const auto slices = server_slices(buckets_of({1600, 320, 160'000}), 2, whole, TensorCut::anywhere);
    CHECK(slices[0] == std::vector<ServerSlice>{{0, 0, {0, 1600}}});
    CHECK(slices[1] == std::vector<ServerSlice>{{1, 0, {0, 320}}});
    CHECK(loads_of(slices, 2) == std::vector<std::uint64_t>{80'960, 80'960});
}

TEST_CASE("where tensors stay whole, each bucket is one slice, the largest given away first") {
    const auto slices = server_slices(buckets_of({1600, 3200, 160'000, 1600}), 2, 64, TensorCut::nowhere);
    CHECK(loads_of(slices, 2) == std::vector<std::uint64_t>{160'000, 6'400});
    for (const auto& of_bucket : slices) CHECK(of_bucket.size() == 1);
}

TEST_CASE("slices of different servers take turns") {
    const auto slices = server_slices(buckets_of({64'000}), 2, 64'000, TensorCut::anywhere)[0];
    REQUIRE(slices.size() == 4);
    std::vector<std::int64_t> servers;
    for (const auto& slice : slices) servers.push_back(slice.server);
    CHECK(servers == std::vector<std::int64_t>{0, 1, 0, 1});
    CHECK(slices[1].range == ElementRange{32'000, 16'000});
    CHECK(slices[2].range == ElementRange{16'000, 16'000});
}

TEST_CASE("the operators of a slice work on its elements of each parameter only") {
    auto program = instantiate(mnist_cnn(), ProgramKind::update, {.batch = 4, .layout_batch = 4});
    plan_buckets(program, {.bucketing = Bucketing::end_of_step});
    REQUIRE(program.buckets.size() == 1);
    const auto& bucket = program.buckets[0];
    std::vector<Operator> updates;
    for (const auto& op : program.operators)
        if (op.pass == Pass::update) updates.push_back(op);
    const SliceContent content(program);
    const auto middle = static_cast<std::uint64_t>(bucket.elements) / 2;
    const auto front = content.operators_of({0, middle}, updates);
    const auto back =
        content.operators_of({middle, static_cast<std::uint64_t>(bucket.elements) - middle}, updates);
    REQUIRE(front.size() + back.size() == updates.size() + 1);  // one parameter lies in both
    std::uint64_t cut = 0;
    for (const auto& op : front)
        if (op.range) {
            CHECK(op.range->first == 0);
            cut = op.range->count;
        }
    for (const auto& op : back)
        if (op.range) CHECK(op.range->first == cut);
    CHECK(cut > 0);
    CHECK(content.elements_of("dense_1.weight", {0, 0}).count == 0);
}
