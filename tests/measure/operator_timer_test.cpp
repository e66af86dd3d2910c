#include "measure/operator_timer.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;

namespace {

TimePoint at(int microseconds) {
    return TimePoint(std::chrono::microseconds(microseconds));
}

}  // namespace

TEST_CASE("rows have the figures of their epoch, and folded operators a row without") {
    OperatorTimer timer(2, RunPhase::train, {});
    const auto conv = timer.add_row({"_FusedConv2D", "conv1", {"Conv2D", "Relu"}});
    const auto unused = timer.add_row({"MaxPool", "pool", {}});
    CHECK(timer.add_row({"_FusedConv2D", "conv1", {"Conv2D", "Relu"}}) == conv);
    CHECK(unused != conv);
    timer.begin_epoch(1, 2);
    timer.begin_step(1);
    timer.add(conv, at(100), at(110));
    timer.begin_step(2);
    timer.add(conv, at(200), at(230));
    NodeRecords records;
    timer.flush(records);

    REQUIRE(records.operators.size() == 3);
    OperatorRecord expected;
    expected.node = 2;
    expected.epoch = 1;
    expected.operator_name = "_FusedConv2D";
    expected.name = "conv1";
    expected.calls = 2;
    expected.total_us = 40;
    expected.mean_us = 20;
    expected.p50_us = 20;
    expected.p99_us =
        Approx(29.8).epsilon(1e-6) == records.operators[0].p99_us ? records.operators[0].p99_us : 29.8;
    CHECK(records.operators[0] == expected);
    CHECK(records.operators[1].operator_name == "Conv2D");
    CHECK(records.operators[2].operator_name == "Relu");
    for (const auto row : {1, 2}) {
        CHECK(records.operators[row].folded_into == "_FusedConv2D");
        CHECK(records.operators[row].name == "conv1");
        CHECK(records.operators[row].calls == 0);
    }
    CHECK(records.trace.empty());

    timer.begin_epoch(2, 2);
    timer.begin_step(3);
    timer.add(unused, at(300), at(301));
    NodeRecords second;
    timer.flush(second);
    REQUIRE(second.operators.size() == 1);
    CHECK(second.operators[0].name == "pool");
    CHECK(second.operators[0].epoch == 2);
}

TEST_CASE("hidden time is flight in which the executor waited for nothing") {
    OperatorTimer timer(0, RunPhase::train, {1, 1});
    const auto first = timer.add_row({"CollectiveReduce",
                                      "bucket0",
                                      {},
                                      "communication",
                                      {},
                                      {},
                                      ExchangeWay{"all_reduce", "ring", "float32", 2}});
    const auto second = timer.add_row({"CollectiveReduce", "bucket1", {}});
    const auto start = timer.add_row({"CollectiveReduceStart", "buckets", {}, "communication"});
    timer.begin_epoch(1, 1);
    timer.begin_step(1);
    // bucket0 flies 100..200, bucket1 150..260; the executor starts the other for 148..157, and waits
    // 180..205 for the one and 205..262 for the other.
    const Interval first_start{at(99), at(100)};
    const Interval second_start{at(148), at(157)};
    timer.add_start(start, first_start, 7);
    timer.add_start(start, second_start, 1);
    timer.add_exchange(first,
                       {at(100), at(103), at(120), at(200), first_start, {at(180), at(205)}, 7, 64, 32});
    timer.add_exchange(second, {at(150), at(150), at(155), at(260), second_start, {at(205), at(262)}});
    timer.add_step({at(90), at(270)}, 5);
    NodeRecords records;
    timer.flush(records);
    REQUIRE(records.operators.size() == 3);
    CHECK(records.operators[0].total_us == 25);
    CHECK(records.operators[0].communication == CommunicationTimes{100, 71, 26, 17});
    CHECK(records.operators[1].total_us == 57);
    CHECK(records.operators[1].communication == CommunicationTimes{110, 23, 66, 5, 5});
    CHECK(records.operators[2].total_us == 10);
    CHECK_FALSE(records.operators[2].communication.has_value());
    REQUIRE(records.trace.size() == 7);
    const ExchangeWay way{"all_reduce", "ring", "float32", 2};
    const SliceExchange start_of_first{ExchangePart::start, 7};
    CHECK(records.trace[0] == TraceSlice{0,
                                         "compute",
                                         "CollectiveReduceStart",
                                         "buckets",
                                         1,
                                         99,
                                         1,
                                         1,
                                         "communication",
                                         {},
                                         start_of_first});
    const SliceExchange wait{ExchangePart::wait, 7, way, 64, 32};
    CHECK(records.trace[2] ==
          TraceSlice{0, "compute", "CollectiveReduce", "bucket0", 1, 180, 25, 1, "communication", {}, wait});
    const SliceExchange flight{ExchangePart::flight, 7, way, 64, 32, 3, 17};
    CHECK(
        records.trace[3] ==
        TraceSlice{
            0, "communication", "CollectiveReduce", "bucket0", 1, 100, 100, 1, "communication", {}, flight});
    CHECK(records.trace[6] == TraceSlice{0, "step", "", "", 1, 90, 180, 1, "", 5});
}

TEST_CASE("what the step before waited for is not hidden either") {
    OperatorTimer timer(0, RunPhase::train, {});
    const auto row = timer.add_row({"CollectiveReduce", "bucket0", {}});
    const auto data = timer.add_row({"Dataset", "batch", {}});
    timer.begin_epoch(1, 2);
    timer.begin_step(1);
    timer.add_wait(data, {at(150), at(160)});
    timer.begin_step(2);
    timer.add_wait(data, {at(180), at(185)});
    timer.add_exchange(row, {at(100), at(100), at(100), at(200), {at(99), at(100)}, {at(190), at(200)}});
    NodeRecords records;
    timer.flush(records);
    CHECK(records.operators.at(0).communication == CommunicationTimes{100, 75, 11, 0});
}

TEST_CASE("a collective that was done before the executor asked is hidden whole") {
    OperatorTimer timer(0, RunPhase::train, {});
    const auto row = timer.add_row({"CollectiveReduce", "bucket0", {}});
    for (int step = 1; step <= 2; ++step) {
        if (step == 1) timer.begin_epoch(1, 2);
        timer.begin_step(step);
        timer.add_exchange(row, {at(100), at(100), at(90), at(200), {at(100), at(100)}, {at(300), at(301)}});
    }
    NodeRecords records;
    timer.flush(records);
    CHECK(records.operators.at(0).communication == CommunicationTimes{200, 200, 2, 0});
}

TEST_CASE("a bucket that queues behind another is in flight, and its queueing is no skew") {
    OperatorTimer timer(0, RunPhase::train, {});
    const auto first = timer.add_row({"CollectiveReduce", "bucket0", {}});
    const auto second = timer.add_row({"CollectiveReduce", "bucket1", {}});
    timer.begin_epoch(1, 1);
    timer.begin_step(1);
    timer.add_exchange(first, {at(100), at(101), at(110), at(300), {at(99), at(100)}, {at(400), at(401)}});
    timer.add_exchange(second, {at(105), at(300), at(303), at(380), {at(105), at(105)}, {at(401), at(402)}});
    NodeRecords records;
    timer.flush(records);
    CHECK(records.operators.at(0).communication == CommunicationTimes{200, 200, 2, 9});
    CHECK(records.operators.at(1).communication == CommunicationTimes{275, 275, 1, 3});
}

TEST_CASE("standing still for a peer that has not started is the part of exposed that is skew") {
    OperatorTimer timer(0, RunPhase::train, {});
    const auto row = timer.add_row({"CollectiveReduce", "bucket0", {}});
    timer.begin_epoch(1, 2);
    timer.begin_step(1);
    timer.add_exchange(row, {at(100), at(101), at(150), at(200), {at(100), at(103)}, {at(120), at(200)}});
    timer.begin_step(2);
    timer.add_exchange(row, {at(300), at(301), at(310), at(400), {at(300), at(300)}, {at(320), at(400)}});
    NodeRecords records;
    timer.flush(records);
    CHECK(records.operators.at(0).communication ==
          CommunicationTimes{
              .in_flight_us = 200, .hidden_us = 40, .exposed_us = 163, .skew_us = 58, .exposed_skew_us = 32});
}

TEST_CASE("operators of one name and layer are told apart by pass and kind") {
    OperatorTimer timer(0, RunPhase::train, {});
    const auto forward = timer.add_row({"MatMul", "dense", {}, "forward", "matmul"});
    const auto weight = timer.add_row({"MatMul", "dense", {"Sum"}, "backward", "matmul_backprop_weight"});
    const auto input = timer.add_row({"MatMul", "dense", {}, "backward", "matmul_backprop_input"});
    timer.begin_epoch(1, 1);
    timer.begin_step(1);
    timer.add(forward, at(0), at(1));
    timer.add(weight, at(1), at(3));
    timer.add(input, at(3), at(6));
    NodeRecords records;
    timer.flush(records);
    REQUIRE(records.operators.size() == 4);
    CHECK(records.operators[0].total_us == 1);
    CHECK(records.operators[1].kind == "matmul_backprop_weight");
    CHECK(records.operators[2].folded_into == "MatMul");
    CHECK(records.operators[2].kind == "matmul_backprop_weight");
    CHECK(records.operators[2].pass == "backward");
    CHECK(records.operators[3].total_us == 3);
    CHECK_FALSE(records.operators[3].work.has_value());
}

TEST_CASE("work adds up over the calls of all programs, and over a checkpoint") {
    const auto row = [](std::int64_t examples) {
        return OperatorRow{"Relu",    "r",    {},
                           "forward", "relu", WorkDone{examples, 4 * examples, 5 * examples}};
    };
    OperatorTimer timer(0, RunPhase::train, {});
    const auto whole = timer.add_row(row(8));
    const auto rest = timer.add_row(row(3));
    CHECK(whole != rest);
    CHECK(timer.add_row(row(8)) == whole);
    timer.begin_epoch(1, 3);
    timer.begin_step(1);
    timer.add(whole, at(0), at(1));
    timer.begin_step(2);
    timer.add(rest, at(1), at(2));

    OperatorTimer other(0, RunPhase::train, {});
    const auto again = other.add_row(row(8));
    other.begin_epoch(1, 3);
    other.restore(timer.times());
    other.begin_step(3);
    other.add(again, at(2), at(3));
    NodeRecords records;
    other.flush(records);
    REQUIRE(records.operators.size() == 1);
    CHECK(records.operators[0].calls == 3);
    CHECK(records.operators[0].work == WorkDone{19, 76, 95});

    other.begin_epoch(2, 1);
    other.begin_step(4);
    other.add(again, at(4), at(5));
    NodeRecords next;
    other.flush(next);
    CHECK(next.operators.at(0).work == WorkDone{8, 32, 40});
}

TEST_CASE("slices are kept for the chosen steps of each epoch") {
    const auto [traced, expected] = GENERATE(table<TracedSteps, std::vector<std::int64_t>>(
        {{{1, 2}, {1, 2, 4, 5}}, {{3, 7}, {3, 6}}, {{4, 1}, {}}, {{2, 1}, {2, 5}}, {{1, 0}, {}}}));
    OperatorTimer timer(0, RunPhase::evaluate, traced);
    const auto row = timer.add_row({"Relu", "r", {}});
    NodeRecords records;
    for (std::int64_t step = 1; step <= 6; ++step) {
        if (step % 3 == 1) timer.begin_epoch(1 + step / 3, 3);
        timer.begin_step(step);
        timer.add(row, at(10), at(11));
        if (step % 3 == 0) timer.flush(records);
    }
    std::vector<std::int64_t> steps;
    for (const auto& slice : records.trace) steps.push_back(slice.step);
    CHECK(steps == expected);
    CHECK(records.operators.at(1).phase == RunPhase::evaluate);
}

TEST_CASE("slices of whole steps are kept until the run has its share of them") {
    constexpr std::size_t most = 9;  // a step of two operators may have four slices, and two of the whole
    OperatorTimer timer(0, RunPhase::train, {1, 2}, most);
    const auto conv = timer.add_row({"Conv2D", "c", {}});
    const auto relu = timer.add_row({"Relu", "r", {}});
    std::vector<std::int64_t> steps;
    for (std::int64_t epoch = 1; epoch <= 40; ++epoch) {
        timer.begin_epoch(epoch, 2);
        for (std::int64_t step = 2 * epoch - 1; step <= 2 * epoch; ++step) {
            timer.begin_step(step);
            timer.add(conv, at(10), at(11));
            timer.add(relu, at(11), at(12));
        }
        NodeRecords records;
        timer.flush(records);
        CHECK(records.operators.size() == 2);
        for (const auto& slice : records.trace) steps.push_back(slice.step);
    }
    CHECK(steps == std::vector<std::int64_t>{1, 1, 2, 2});
}

TEST_CASE("an epoch that is cut in two processes has the figures of one in one piece") {
    const auto first_half = [](OperatorTimer& timer, OperatorRowId conv, OperatorRowId reduce) {
        timer.begin_epoch(3, 2);
        timer.begin_step(1);
        timer.add(conv, at(100), at(110));
        timer.add_exchange(reduce,
                           {at(100), at(101), at(105), at(120), {at(100), at(101)}, {at(110), at(121)}});
    };
    const auto second_half = [](OperatorTimer& timer, OperatorRowId conv, NodeRecords& records) {
        timer.begin_step(2);
        timer.add(conv, at(200), at(230));
        timer.flush(records);
    };
    NodeRecords whole;
    OperatorTimer one(2, RunPhase::train, {});
    const auto conv = one.add_row({"_FusedConv2D", "conv1", {"Conv2D"}});
    const auto reduce = one.add_row({"CollectiveReduce", "b0", {}});
    first_half(one, conv, reduce);
    const auto times = one.times();
    REQUIRE(times.size() == 2);
    CHECK(times[0].durations_us == std::vector{10.0F});
    CHECK(times[1].communication.has_value());
    second_half(one, conv, whole);

    NodeRecords cut;
    OperatorTimer other(2, RunPhase::train, {});
    other.add_row({"MaxPool", "pool", {}});
    const auto other_conv = other.add_row({"_FusedConv2D", "conv1", {"Conv2D"}});
    other.begin_epoch(3, 2);
    other.restore(times);
    second_half(other, other_conv, cut);
    CHECK(cut == whole);

    OperatorTimer evaluation(2, RunPhase::evaluate, {});
    evaluation.restore(times);
    CHECK(evaluation.times().empty());
}
