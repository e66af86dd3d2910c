#include "data/input_pipeline.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <numeric>

#include "base/error.hpp"

using namespace convoy;

namespace {

/// Examples whose values tell their index; reading one of them can fail or be held up.
class NumberedExamples final : public ExampleValues {
  public:
    void read(std::uint32_t example, std::span<float> into) const override {
        if (static_cast<std::int64_t>(example) == broken) throw DataError("example is broken");
        std::fill(into.begin(), into.end(), static_cast<float>(example));
        ++reads;
        reads.notify_all();
    }
    /// Until so many examples were read. One load is compared and waited for: a second one could be the last
    /// value there is.
    void wait_for(int wanted) const {
        for (int seen = reads; seen < wanted; seen = reads) reads.wait(seen);
    }
    [[nodiscard]] bool decodes() const override { return decoded; }
    std::int64_t broken = -1;
    bool decoded = false;
    mutable std::atomic<int> reads = 0;
};

Dataset numbered(std::int64_t count,
                 std::shared_ptr<NumberedExamples> values = std::make_shared<NumberedExamples>()) {
    std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i % 10);
    return {{1, 2, 3}, 10, std::move(labels), std::move(values)};
}

EpochPlan plan_of(std::int64_t examples, std::int64_t batch, std::int64_t world, bool shuffle = true) {
    return EpochPlan({{ShardingScheme::global_batch}, examples, batch, one_replica_each(world), shuffle, 11});
}

}  // namespace

TEST_CASE("a pipeline that begins in the middle delivers what one from the start would") {
    const auto plan = plan_of(23, 5, 2);
    for (const int prefetch : {0, 2}) {
        for (const std::int64_t first : {0, 1, 4, 5, 7, 14}) {
            InputPipeline pipeline(numbered(23), plan,
                                   {.rank = 1, .batches = 15 - first, .prefetch = prefetch, .first = first});
            for (auto batch = first; batch < 15; ++batch) {
                const auto expected = plan.share(1, static_cast<std::uint32_t>(batch / 5), batch % 5);
                const auto found = pipeline.next();
                CHECK(found.global_examples == expected.global_examples);
                REQUIRE(std::vector<std::uint32_t>(found.examples.begin(), found.examples.end()) ==
                        expected.examples);
            }
            CHECK_THROWS_AS(pipeline.next(), InternalError);
        }
    }
}

TEST_CASE("a pipeline delivers its rank's shares over epochs, whatever it prepares ahead") {
    const auto plan = plan_of(23, 5, 2);
    for (const int prefetch : {0, 1, 2, 7}) {
        for (const std::int64_t rank : {0, 1}) {
            InputPipeline pipeline(numbered(23), plan, {rank, 15, prefetch});
            for (std::int64_t batch = 0; batch < 15; ++batch) {
                const auto expected = plan.share(rank, static_cast<std::uint32_t>(batch / 5), batch % 5);
                const auto found = pipeline.next();
                CHECK(found.global_examples == expected.global_examples);
                REQUIRE(std::vector<std::uint32_t>(found.examples.begin(), found.examples.end()) ==
                        expected.examples);
                REQUIRE(found.values.size() == expected.examples.size() * 6);
                REQUIRE(found.labels.size() == expected.examples.size());
                for (std::size_t i = 0; i < expected.examples.size(); ++i) {
                    CHECK(found.labels[i] == static_cast<std::int32_t>(expected.examples[i] % 10));
                    CHECK(found.values[i * 6] == static_cast<float>(expected.examples[i]));
                    CHECK(found.values[i * 6 + 5] == static_cast<float>(expected.examples[i]));
                }
            }
            CHECK_THROWS_AS(pipeline.next(), InternalError);
            CHECK(pipeline.times().map_s > 0.0);
            CHECK(pipeline.times().shuffle_s > 0.0);
            const auto times = pipeline.times();
            CHECK(times.total() == Approx(times.shuffle_s + times.batch_s + times.map_s + times.augment_s));
        }
    }
}

TEST_CASE("batches stand in a fixed ring of buffers") {
    InputPipeline pipeline(numbered(40), plan_of(40, 4, 1), {0, 40, 2});
    std::vector<const float*> places;
    for (int i = 0; i < 40; ++i) places.push_back(pipeline.next().values.data());
    for (std::size_t i = 3; i < places.size(); ++i) CHECK(places[i] == places[i - 3]);
}

TEST_CASE("a pipeline prepares ahead by as much as it was told, and no more") {
    auto values = std::make_shared<NumberedExamples>();
    InputPipeline pipeline(numbered(100, values), plan_of(100, 1, 1), {0, 100, 2});
    // One is in use and two wait: a thread that did not stand still would be further somewhere on the way.
    for (int batch = 0; batch < 97; ++batch) {
        pipeline.next();
        while (values->reads < batch + 3) values->reads.wait(values->reads);
        CHECK(values->reads == batch + 3);
    }
}

TEST_CASE("a batch in use is not overwritten while others are prepared") {
    auto values = std::make_shared<NumberedExamples>();
    InputPipeline pipeline(numbered(100, values), plan_of(100, 2, 1, false), {0, 50, 3});
    for (int batch = 0; batch < 40; ++batch) {
        const auto held = pipeline.next();
        values->wait_for(2 * std::min(50, batch + 4));
        CHECK(held.values.front() == static_cast<float>(2 * batch));
        CHECK(held.values.back() == static_cast<float>(2 * batch + 1));
    }
}

TEST_CASE("an error in preparing surfaces with its own batch") {
    for (const int prefetch : {0, 3}) {
        auto values = std::make_shared<NumberedExamples>();
        values->broken = 5;
        InputPipeline pipeline(numbered(20, values), plan_of(20, 2, 1, false), {0, 10, prefetch});
        CHECK(pipeline.next().examples[1] == 1);
        CHECK(pipeline.next().examples[1] == 3);
        CHECK_THROWS_AS(pipeline.next(), DataError);
        CHECK_THROWS_WITH(pipeline.next(), "example is broken");
    }
}

TEST_CASE("a pipeline that is not used to its end goes away at once") {
    for (int i = 0; i < 50; ++i) {
        InputPipeline unused(numbered(1000), plan_of(1000, 10, 1), {0, 100000, 2});
        InputPipeline begun(numbered(1000), plan_of(1000, 10, 1), {0, 100000, 2});
        begun.next();
    }
    SUCCEED();
}

TEST_CASE("a node without a share of a small batch gets an empty one") {
    InputPipeline pipeline(numbered(5), plan_of(5, 4, 3, false), {2, 2, 1});
    CHECK(pipeline.next().size() == 1);
    const auto last = pipeline.next();
    CHECK(last.size() == 0);
    CHECK(last.values.empty());
    CHECK(last.global_examples == 1);
}

TEST_CASE("evaluation counts each example once, whatever the number of nodes") {
    for (const std::int64_t world : {1, 2, 3, 6}) {
        const auto plan = plan_of(50, 16, world, false);
        std::vector<int> seen(50);
        for (std::int64_t rank = 0; rank < world; ++rank) {
            InputPipeline source(numbered(50), plan, {rank, plan.steps_per_epoch(), 0});
            for (std::int64_t step = 0; step < plan.steps_per_epoch(); ++step) {
                for (const auto example : source.next().examples) ++seen[example];
            }
        }
        CHECK(seen == std::vector<int>(50, 1));
    }
}

TEST_CASE("batches have the parts that the data has, and always their example numbers") {
    const auto plan = plan_of(23, 5, 2);
    const auto numbers_of = [&](const std::optional<Dataset>& data, int prefetch, bool values, bool labels) {
        InputPipeline pipeline(data, plan, {.rank = 1, .batches = 10, .prefetch = prefetch});
        std::vector<std::uint32_t> numbers;
        for (int batch = 0; batch < 10; ++batch) {
            const auto found = pipeline.next();
            CHECK(found.values.size() == (values ? 6 * found.examples.size() : 0));
            CHECK(found.labels.size() == (labels ? found.examples.size() : 0));
            numbers.insert(numbers.end(), found.examples.begin(), found.examples.end());
        }
        return numbers;
    };
    const auto all = numbered(23);
    for (const int prefetch : {0, 2}) {
        const auto expected = numbers_of(all, prefetch, true, true);
        CHECK(numbers_of(all.only({.values = false}), prefetch, false, true) == expected);
        CHECK(numbers_of(all.only({.labels = false}), prefetch, true, false) == expected);
        CHECK(numbers_of(std::nullopt, prefetch, false, false) == expected);
    }
}

TEST_CASE("a batch tells the time of decoding where the thread that asks for it decodes") {
    const auto values = std::make_shared<NumberedExamples>();
    const auto decoding = [&](int prefetch, const Dataset& data) {
        InputPipeline pipeline(data, plan_of(20, 10, 1), {.batches = 1, .prefetch = prefetch});
        return pipeline.next().decoding;
    };
    CHECK(decoding(0, numbered(20, values)) == Clock::duration::zero());
    values->decoded = true;
    CHECK(decoding(0, numbered(20, values)) > Clock::duration::zero());
    CHECK(decoding(1, numbered(20, values)) == Clock::duration::zero());
    // Wherever the examples come from; but not once they are floats.
    const auto data = numbered(20, values);
    CHECK(data.select({3, 4}).decodes());
    CHECK(data.without_mean(std::vector<float>(6)).decodes());
    CHECK_FALSE(data.prepared(Prepare::ahead, PreparedStore::memory).decodes());
    CHECK_FALSE(data.only({.values = false}).decodes());
}
