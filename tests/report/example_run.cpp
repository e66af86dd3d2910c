#include "example_run.hpp"

namespace convoy {

namespace {

OperatorRecord operator_row(std::int64_t node, RunPhase phase, const char* operator_name, const char* name,
                            double mean_us) {
    OperatorRecord row;
    row.node = node;
    row.epoch = 1;
    row.phase = phase;
    row.operator_name = operator_name;
    row.name = name;
    row.calls = 2;
    row.total_us = 2 * mean_us;
    row.mean_us = mean_us;
    row.p50_us = mean_us;
    row.p99_us = mean_us + 0.5;
    return row;
}

OperatorRecord folded_row(std::int64_t node, const char* operator_name, const char* name, const char* into) {
    OperatorRecord row;
    row.node = node;
    row.epoch = 1;
    row.operator_name = operator_name;
    row.name = name;
    row.folded_into = into;
    return row;
}

/// One step of two buckets, whose flights overlap.
void add_trace(NodeRecords& records, std::int64_t node) {
    const auto at = [node](double us) { return us + 500 * static_cast<double>(node); };
    const auto add = [&](const char* operator_name, const char* name, double start_us, double duration_us,
                         const char* pass, std::optional<SliceExchange> exchange = {}) {
        const bool flies = exchange && exchange->part == ExchangePart::flight;
        records.trace.push_back({node,
                                 flies ? "communication" : "compute",
                                 operator_name,
                                 name,
                                 1,
                                 at(start_us),
                                 duration_us,
                                 1,
                                 pass,
                                 {},
                                 std::move(exchange)});
    };
    const ExchangeWay ring{"all_reduce", "ring", "float32", 2};
    using enum ExchangePart;
    add("_FusedConv2D", "conv1", 1000, 200, "forward");
    add("_FusedConv2DBackpropFilter", "conv1", 1200, 20, "backward");
    add("CollectiveReduceStart", "bucket0", 1220, 5, "communication", SliceExchange{start, 1, ring});
    add("Relu", "relu1", 1230, 20, "backward");
    add("CollectiveReduceStart", "bucket1", 1250, 5, "communication", SliceExchange{start, 1, ring});
    add("CollectiveReduce", "bucket0", 1300, 100, "communication", SliceExchange{wait, 1, ring, 64, 32});
    add("CollectiveReduce", "bucket0", 1222, 178, "communication",
        SliceExchange{flight, 1, ring, 64, 32, 8, 90});
    add("ResourceApplyAdam", "conv1.weight", 1400, 20, "update");
    add("CollectiveReduce", "bucket1", 1420, 40, "communication", SliceExchange{wait, 1, ring, 128, 96});
    add("CollectiveReduce", "bucket1", 1252, 208, "communication",
        SliceExchange{flight, 1, ring, 128, 96, 0, 0});
    add("ResourceApplyAdam", "conv1.bias", 1460, 10, "update");
    records.trace.push_back({node, "step", "", "", 1, at(995), 480, 1, "", 10 + 10 * node});
}

void add_node(NodeRecords& records, std::int64_t node) {
    const auto n = static_cast<double>(node);
    auto reduce = operator_row(node, RunPhase::train, "CollectiveReduce", "bucket0", 100 + 100 * n);
    reduce.communication = CommunicationTimes{400, 300, 200 + 200 * n, 50, 25};
    records.operators.push_back(operator_row(node, RunPhase::train, "_FusedConv2D", "conv1", 300));
    records.operators.push_back(folded_row(node, "Conv2D", "conv1", "_FusedConv2D"));
    records.operators.push_back(folded_row(node, "Relu", "conv1", "_FusedConv2D"));
    records.operators.push_back(reduce);
    records.operators.push_back(operator_row(node, RunPhase::evaluate, "MatMul", "dense, \"last\"", 50));
    records.steps.push_back({node, 1, 1, 2.0 + n, 3, 10 + 10 * node, 1000 + 1000 * n, 600, 400});
    records.steps.push_back({node, 1, 2, 1.0 + n, 5, 10 + 10 * node, 500, 400, 100});
    records.epochs.push_back({node, 1, {50 + 100 * n, 8, 20 + 20 * node}, {}, {4, 4, 5}, 1.5 + n, 0.25});
    records.system.push_back({node, 0.2, 90, 10, 1, 100'000'000, 0, 0, 60});
    records.system.push_back({node, 0.4, 70, 30, 3, 120'000'000, 1000, 2000, 40});
    add_trace(records, node);
    records.summaries.push_back({node,
                                 1,
                                 0.5,
                                 0.25,
                                 1.5 + n,
                                 0.25,
                                 0.0,
                                 2.5 + n,
                                 130'000'000,
                                 2,
                                 0.5,
                                 4000,
                                 4000,
                                 2,
                                 {-500 * n, -500 * n, 20},
                                 {0.01, 0.02, 0.03 + n, 0.04, 0.05, 0.06},
                                 {},
                                 {15 * node, 10, 10 - 5 * node}});
}

}  // namespace

WholeRun example_run() {
    WholeRun run;
    run.name = "example";
    run.run_id = "0123456789ab";
    run.nodes = 2;
    run.batch_size = 30;
    run.spec = "{\"name\": \"example\"}";
    run.environment = "{\"host\": \"here\"}\n";
    // The second node's records come first, as they may from a cluster.
    add_node(run.records, 1);
    add_node(run.records, 0);
    run.weights = {std::byte{1}, std::byte{2}};
    return run;
}

const RunResults& example_results() {
    static const auto all = results_of(example_run());
    return all;
}

}  // namespace convoy
