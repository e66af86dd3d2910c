#include "bench/all_reduce_bench.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace convoy;

namespace {

/// One node's sums, of which it may get some wrong.
class OneNode final : public Communicator {
  public:
    explicit OneNode(std::size_t wrong) : wrong_(wrong) {}
    Ticket start(ReduceBuffer buffer, const Exchange&) override {
        const auto floats = std::get<std::span<float>>(buffer);
        sizes.push_back(floats.size());
        for (auto& value : floats.first(std::min(wrong_, floats.size()))) value += 1.0F;
        return Ticket{0};
    }
    ExchangeTimes wait(Ticket) override { return {}; }
    std::size_t wait_any(std::span<const Ticket>) override { return 0; }
    void drain() noexcept override {}
    [[nodiscard]] Traffic traffic() const override { return {}; }

    std::vector<std::size_t> sizes;

  private:
    std::size_t wrong_;
};

class KeepsRecords final : public NodeReporter {
  public:
    void agree(const Fingerprints&) override {}
    void progress(const NodeProgress&) override {}
    void records(NodeRecords more) override { kept.append(std::move(more)); }
    void weights(std::span<const std::byte>) override {}

    NodeRecords kept;
};

NodeRecords run_alone(const AllReduceBench& bench, OneNode& node) {
    KeepsRecords reporter;
    FormedNetwork network(node, HostMap(1));
    run_all_reduce_bench(bench, {}, network, reporter);
    return std::move(reporter.kept);
}

StepRecord step(std::int64_t node, std::int64_t size_index, std::int64_t iteration, double time_us,
                std::int64_t wrong = 0) {
    StepRecord record;
    record.node = node;
    record.epoch = size_index;
    record.step = iteration;
    record.examples = 1000;
    record.correct = 1000 - wrong;
    record.step_us = time_us;
    return record;
}

}  // namespace

TEST_CASE("a node times every size as often as it is told, and counts wrong elements of checked sums") {
    const AllReduceBench bench{.sizes = {64, 4}, .iterations = 2, .warmup = 1};
    OneNode right(0), wrong(3);
    const auto good = run_alone(bench, right).steps;
    // Behind the small sums with which it begins, however many.
    const std::vector<std::size_t> counted{1, 16, 1, 16, 1, 16, 1, 16, 1, 1, 1, 1, 1, 1, 1, 1};
    REQUIRE(right.sizes.size() > counted.size());
    CHECK(std::equal(counted.rbegin(), counted.rend(), right.sizes.rbegin()));
    REQUIRE(good.size() == 4);
    for (const auto& each : good) CHECK(each.correct == each.examples);
    const auto bad = run_alone(bench, wrong).steps;
    CHECK(bad.at(0).examples == 0);
    CHECK(bad.at(1).examples == 32);
    CHECK(bad.at(1).correct == 26);
    CHECK(bad.at(3).epoch == 2);
    CHECK(bad.at(3).step == 2);
    CHECK(bad.at(3).correct == 0);
}

TEST_CASE("an iteration takes as long as on its slowest node, and bandwidth is by the definition") {
    const AllReduceBench bench{.sizes = {4000, 8000}};
    NodeRecords records;
    // Slowest by iteration: 10, 30, 20.
    records.steps = {step(0, 1, 1, 10), step(1, 1, 1, 5),     step(0, 1, 2, 1),
                     step(1, 1, 2, 30), step(0, 1, 3, 20, 7), step(1, 1, 3, 20)};
    const auto table = all_reduce_table(bench, 4, records);
    REQUIRE(table.rows.size() == 1);
    std::vector<std::string> keys;
    for (const auto& column : table.columns) keys.push_back(column.key());
    CHECK(keys == std::vector<std::string>{"size", "count", "type", "wire", "iterations", "min_us", "time_us",
                                           "p99_us", "algbw", "busbw", "wrong"});
    const auto& row = table.rows[0];
    CHECK(std::get<std::int64_t>(row[0]) == 4000);
    CHECK(std::get<std::int64_t>(row[4]) == 3);
    CHECK(std::get<double>(row[5]) == 10.0);
    CHECK(std::get<double>(row[6]) == 20.0);
    CHECK(std::get<double>(row[7]) == Approx(29.8));
    CHECK(std::get<double>(row[8]) == Approx(0.2));
    CHECK(std::get<double>(row[9]) == Approx(0.3));
    CHECK(std::get<std::int64_t>(row[10]) == 7);
}

TEST_CASE("small sizes are repeated more often") {
    CHECK(iterations_of({.iterations = 7}, 4) == 7);
    CHECK(iterations_of({}, 4) == 500);
    CHECK(iterations_of({}, 4 << 20) == 64);
    CHECK(iterations_of({}, 256 << 20) == 20);
}
