#include "plan/step_cost.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace convoy;

namespace {

/// Four ranks that sum 100 elements up a tree.
Program tree_program() {
    Program program;
    program.world_size = 4;
    program.tensors = {{"bucket_0", {100}, TensorRole::bucket, false}, {"x", {10}}, {"y", {10}}};
    const ExchangeAttributes tree{{.options = {.algorithm = AllReduceAlgorithm::tree, .connection = 1}}};
    const auto bucket = TensorId{0};
    program.operators = {
        {OperatorKind::relu, "r", Pass::forward, {TensorId{1}}, {TensorId{2}}, {}, {}},
        {OperatorKind::exchange_start, "bucket_0", Pass::communication, {bucket}, {bucket}, tree, {}},
        {OperatorKind::exchange_wait, "bucket_0", Pass::communication, {bucket}, {bucket}, tree, {}}};
    return program;
}

}  // namespace

TEST_CASE("a step costs what its calls do, and an exchange counts once") {
    const auto program = tree_program();
    const std::vector<Call> calls{{program, 3}};
    const auto cost = step_cost(calls, 3, HostMap(4), 4);
    CHECK(cost.work == OperatorCost{3 * 10, 3 * 40, 3 * 40});
    CHECK(cost.exchanged.sent_bytes == 3 * 400);
    CHECK(cost.exchanged.sent_frames == 3);
}

TEST_CASE("an exchange has a line, with what the rank sends") {
    CHECK(exchange_lines(tree_program(), 2, HostMap(4)) ==
          "exchange bucket_0: tree of float32 on connection 1, 100 elements, rank 2 sends 800 bytes in 2 "
          "frames\n");
}

TEST_CASE("ranks that send different amounts are told as a range") {
    const auto program = tree_program();
    const std::vector<Call> calls{{program}};
    CHECK(sent_text(calls, std::vector<std::int64_t>{0, 1, 2, 3}, HostMap(4)) == "400 to 800 bytes sent");
    CHECK(sent_text(calls, std::vector<std::int64_t>{1, 3}, HostMap(4)) == "400 bytes sent");
}

TEST_CASE("the bytes of sums by MPI are told as unknown") {
    auto program = tree_program();
    for (auto& op : program.operators) {
        if (auto* attributes = std::get_if<ExchangeAttributes>(&op.attributes))
            attributes->exchange.options.algorithm = AllReduceAlgorithm::mpi;
    }
    CHECK(exchange_lines(program, 2, HostMap(4)) == "exchange bucket_0: mpi of float32, 100 elements\n");
    const std::vector<Call> calls{{program}};
    CHECK(sent_text(calls, std::vector<std::int64_t>{0, 1}, HostMap(4)) ==
          "an unknown number of bytes sent by MPI");
}
