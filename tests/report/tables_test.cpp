#include "report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <utility>

#include "example_run.hpp"
#include "report/comparison.hpp"
#include "report/render.hpp"
#include "report/sheet.hpp"

using namespace convoy;

namespace {

/// A run whose names and figures are as long as those of a day on resnet_v2.
RunResults large_results() {
    auto results = example_results();
    results.target = AccuracyTarget{0.75, "test"};
    results.left_out_step_us = 4e9;
    for (auto& epoch : results.epochs) {
        epoch.validation_loss = epoch.train_loss;
        epoch.validation_accuracy = 0.5;
    }
    for (auto& row : results.operators) {
        row.operator_name = "_FusedConv2DBackpropFilter";
        row.name = "stage_3_block_6_conv2d_2";
        row.calls = 123'456;
        row.total_us *= 1e6;
        if (!row.communication) continue;
        row.operator_name = "CollectiveReduceStart";
        for (auto* time : {&row.communication->in_flight_us, &row.communication->hidden_us,
                           &row.communication->exposed_us, &row.communication->skew_us})
            *time *= 1e6;
    }
    for (auto& node : results.summaries) {
        node.checkpoint_s = 1234.5;
        node.sent_bytes = node.received_bytes = 3'000'000'000'000;
        node.contention.emplace();
        node.contention->machine = "node-17.cluster";
        node.contention->waited_s = 1234.5;
    }
    return results;
}

}  // namespace

TEST_CASE("the operator table adds up nodes, sorts by time and shows what was folded") {
    CHECK("\n" + to_text(operators_table(example_results())) == R"(
Time per operator, over all nodes
phase     operator          name           calls       total (ms)  mean (us)  p50 (us)  p99 (us)  share (%)  in flight (ms)  hidden (ms)  exposed (ms)  skew (ms)  exposed skew (ms)
train     _FusedConv2D      conv1              4              1.2      300.0     300.0     300.5       30.0
train     Conv2D            conv1                 in _FusedConv2D
train     Relu              conv1                 in _FusedConv2D
train     CollectiveReduce  bucket0            4              0.6      150.0     150.0     150.5       15.0             0.8          0.6           0.6        0.1                0.1
evaluate  MatMul            dense, "last"      4              0.2       50.0      50.0      50.5      100.0
)");
    CHECK("\n" + to_csv(operators_table(example_results())) == R"(
phase,operator,name,calls,total_us,mean_us,p50_us,p99_us,share_pct,in_flight_us,hidden_us,exposed_us,skew_us,exposed_skew_us,folded_into,pass,kind,gflop_per_s,gbyte_per_s
train,_FusedConv2D,conv1,4,1200,300,300,300.5,30,,,,,,,,,,
train,Conv2D,conv1,,,,,,,,,,,,_FusedConv2D,,,,
train,Relu,conv1,,,,,,,,,,,,_FusedConv2D,,,,
train,CollectiveReduce,bucket0,4,600,150,150,150.5,15,800,600,600,100,50,,,,,
evaluate,MatMul,"dense, ""last""",4,200,50,50,50.5,100,,,,,,,,,,
)");
}

TEST_CASE("products of one layer are rows of their own, with the rates that they reached") {
    RunResults run;
    for (const auto* kind : {"matmul", "matmul_backprop_weight"}) {
        for (const std::int64_t node : {0, 1}) {
            OperatorRecord row;
            row.node = node;
            row.operator_name = "MatMul";
            row.name = "dense";
            row.kind = kind;
            row.pass = "forward";
            row.calls = 2;
            row.total_us = 100;
            row.work = WorkDone{.flops = 3'000'000, .read_bytes = 100'000, .written_bytes = 50'000};
            run.operators.push_back(row);
        }
    }
    run.operators.back().total_us = 300;
    run.operators.push_back(run.operators.back());
    run.operators.back().work.reset();
    run.operators.back().kind = "reorder";
    CHECK("\n" + to_csv(operators_table(run)) == R"(
phase,operator,name,calls,total_us,mean_us,p50_us,p99_us,share_pct,in_flight_us,hidden_us,exposed_us,skew_us,exposed_skew_us,folded_into,pass,kind,gflop_per_s,gbyte_per_s
train,MatMul,dense,4,400,100,0,0,44.4444444,,,,,,,forward,matmul_backprop_weight,15,0.75
train,MatMul,dense,2,300,150,0,0,33.3333333,,,,,,,forward,reorder,,
train,MatMul,dense,4,200,50,0,0,22.2222222,,,,,,,forward,matmul,30,1.5
)");
    CHECK_THAT(to_text(operators_table(run)), Catch::Contains("kind") && Catch::Contains("gbyte per s"));
    CHECK(to_csv(operator_totals_table(run)) ==
          "phase,operator,calls,total_us,mean_us,share_pct,exposed_us,layers,in_flight_us,hidden_us,skew_us\n"
          "train,MatMul,10,900,90,100,,1,,,\n");
}

TEST_CASE("the operator table is in order of time, whatever ran first") {
    auto shuffled = example_results();
    std::swap(shuffled.operators[0], shuffled.operators[3]);
    std::swap(shuffled.operators[4], shuffled.operators[0]);
    CHECK(to_csv(operators_table(shuffled)) == to_csv(operators_table(example_results())));
}

TEST_CASE("the other tables have a row per node or epoch") {
    CHECK(to_csv(phases_table(example_results())) ==
          "node,read_s,preprocess_s,train_s,evaluate_s,checkpoint_s,total_s,fetch_s\n"
          "0,0.5,0.25,1.5,0.25,0,2.5,0\n"
          "1,0.5,0.25,2.5,0.25,0,3.5,0\n");
    CHECK_THAT(to_text(phases_table(example_results())), !Catch::Contains("fetch"));
    auto fetching = example_results();
    fetching.summaries[1].fetch_s = 1.25;
    CHECK_THAT(to_text(phases_table(fetching)), Catch::Contains("fetch (s)") && Catch::Contains("1.25"));
    auto waiting = example_results();
    waiting.operators[0].operator_name = "Dataset";
    const auto waited = waiting.operators[0].total_us * 1e-6;
    CHECK(to_csv(input_pipeline_table(waiting)) ==
          "node,read_s,interleave_s,prepare_s,shuffle_s,batch_s,map_s,augment_s,wait_s\n"
          "0,0.5,0.01,0.02,0.03,0.04,0.05,0.06," +
              fmt::format("{:.9g}", waited) +
              "\n"
              "1,0.5,0.01,0.02,1.03,0.04,0.05,0.06,0\n");
    CHECK_THAT(to_text(input_pipeline_table(waiting)),
               Catch::Contains("shuffle (ms)") && Catch::Contains("1030.0"));
    CHECK(
        to_csv(epochs_table(example_results())) ==
        "epoch,train_loss,train_accuracy,validation_loss,validation_accuracy,test_loss,test_accuracy,train_s,"
        "evaluate_s\n"
        "1,3.33333333,0.266666667,,,0.8,0.8,2.5,0.25\n");
    CHECK(to_csv(system_table(example_results())) ==
          "node,threads,cpu_user_mean_pct,cpu_user_max_pct,cpu_system_mean_pct,cpu_system_max_pct,"
          "cpu_iowait_mean_pct,cpu_iowait_max_pct,cpu_idle_mean_pct,resident_mean_bytes,peak_resident_bytes,"
          "sent_bytes,"
          "received_bytes,machine_used_max_bytes\n"
          "0,1,80,90,20,30,2,3,50,110000000,130000000,4000,4000,\n"
          "1,1,80,90,20,30,2,3,50,110000000,130000000,4000,4000,\n");
    CHECK(to_csv(utilisation_table(example_results())) ==
          "place,nodes,cpu_user_pct,cpu_system_pct,cpu_iowait_pct,cpu_idle_pct,resident_mean_bytes,"
          "peak_resident_bytes,sent_bytes,received_bytes,cpu_share_pct,machine_used_max_bytes\n"
          "master,1,80,20,2,50,110000000,130000000,4000,4000,,\n"
          "slave,1,80,20,2,50,110000000,130000000,4000,4000,,\n"
          "cluster,2,80,20,2,50,220000000,260000000,8000,8000,,\n");
    CHECK(to_csv(network_table(example_results())) ==
          "node,sent_bytes,received_bytes,sent_per_step_bytes,in_flight_us,hidden_us,exposed_us,skew_us,"
          "exposed_skew_us,"
          "hidden_share_pct,exposed_per_step_us,exposed_share_pct\n"
          "0,4000,4000,2000,400,300,200,50,25,75,100,25\n"
          "1,4000,4000,2000,400,300,400,50,25,75,200,40\n");
    CHECK(to_csv(memory_table(example_results())) ==
          "node,resident_mean_bytes,resident_max_bytes,peak_resident_bytes\n"
          "0,110000000,120000000,130000000\n"
          "1,110000000,120000000,130000000\n");
    CHECK(
        to_csv(final_table(example_results())) ==
        "status,nodes,batch_size,epochs,steps,train_loss,train_accuracy,test_loss,test_accuracy,step_p50_us,"
        "examples_per_second,total_s,time_to_accuracy_s,measurement\n"
        "done,2,30,1,2,3.33333333,0.266666667,0.8,0.8,1250,24000,3.5,,\n");
}

TEST_CASE("the memory of machines counts once for the nodes that share one") {
    auto results = results_of(example_run());
    results.summaries.push_back(results.summaries.back());
    results.summaries.back().node = 2;
    const std::array machines{"a", "b", "b"};
    results.system.clear();
    for (std::int64_t node = 0; node < 3; ++node) {
        auto& summary = results.summaries.at(static_cast<std::size_t>(node));
        summary.contention.emplace().boot_id = machines.at(static_cast<std::size_t>(node));
        for (const std::uint64_t used : {7U, 5U}) {
            auto& sample = results.system.emplace_back();
            sample.node = node;
            sample.machine_used_bytes = used * 100 + static_cast<std::uint64_t>(node);
        }
    }
    const auto used_at = [&results](std::size_t row) {
        return utilisation_table(results).rows.at(row).back();
    };
    CHECK(used_at(0) == Cell(700.0));
    CHECK(used_at(1) == Cell(702.0));  // both slaves are on b
    CHECK(used_at(2) == Cell(1402.0));
    CHECK(system_table(results).rows.at(1).back() == Cell(701.0));
    results.summaries.at(2).contention.reset();  // as of a node that was lost
    CHECK(used_at(0) == Cell(700.0));
    CHECK(used_at(2) == Cell());
}

TEST_CASE("nodes that are bound to cores of their own may use all of these") {
    auto results = results_of(example_run());
    const auto share_of_all = [&results] { return utilisation_table(results).rows.at(2).at(10); };
    for (std::size_t node = 0; node < 2; ++node) {
        auto& seen = results.summaries.at(node).contention.emplace();
        seen.boot_id = "a";
        seen.elapsed_s = 2.0;
        seen.cpu_s = 1.5;
        seen.usable_cores = 1;
        seen.core_list = CoreList::parse(node == 0 ? "0" : "1");
    }
    CHECK(share_of_all() == Cell(75.0));
    for (auto& summary : results.summaries) summary.contention->core_list = CoreList::parse("0");
    CHECK(share_of_all() == Cell(150.0));  // of the one core that both share
}

TEST_CASE("the phases have a column of checkpoints where there were any") {
    auto results = results_of(example_run());
    const auto plain = phases_table(results);
    results.summaries.at(1).checkpoint_s = 0.75;
    const auto table = phases_table(results);
    CHECK(plain.columns.at(5).scripts_only);
    CHECK_FALSE(table.columns.at(5).scripts_only);
    CHECK(table.columns.at(5).name == "checkpoint");
    CHECK(table.rows.at(1).at(5) == Cell(0.75));
}

TEST_CASE("what one run has and another has not is a column of their common table") {
    auto with_target = example_results();
    with_target.target = AccuracyTarget{0.75, "test"};
    const std::vector<std::string> labels{"plain", "target"};
    for (const auto first : {0, 1}) {
        std::vector<Table> tables{final_table(example_results()), final_table(with_target)};
        if (first == 1) std::swap(tables[0], tables[1]);
        const auto text = to_text(joined(labels, tables));
        CHECK_THAT(text, Catch::Contains("time to accuracy (s)") && Catch::Contains("2.75"));
    }
    CHECK_THAT(to_text(final_table(example_results())), !Catch::Contains("time to accuracy"));
    CHECK_NOTHROW(compare(final_table(example_results()), final_table(with_target)));
}

TEST_CASE("a mean over rows is weighted by their calls") {
    auto few = example_results();
    few.operators.resize(1);
    few.operators.push_back(few.operators[0]);
    few.operators[1].node = 1;
    few.operators[1].calls = 6;
    few.operators[1].total_us = 600;
    few.operators[1].p50_us = 100;
    const auto row = operators_table(few).rows.at(0);
    CHECK(row.at(3) == Cell(std::int64_t{8}));
    CHECK(row.at(5) == Cell(150.0));
    CHECK(row.at(6) == Cell((2 * 300.0 + 6 * 100.0) / 8));
}

TEST_CASE("every table fits 80 and 120 columns, with the columns that matter") {
    const std::map<std::string_view, std::vector<const char*>> needed{
        {"operators", {"operator", "name", "total (ms)", "share (%)", "exposed (ms)"}},
        {"operator_totals", {"operator", "total (ms)", "share (%)", "exposed (ms)", "layers"}},
        {"network", {"sent (MB)", "hidden (ms)", "exposed (ms)", "skew (ms)"}},
        {"epochs", {"train loss", "validation accuracy", "test accuracy"}},
        {"final", {"test accuracy", "step p50 (ms)", "examples per second", "time to accuracy (s)"}},
        {"system", {"cpu user mean (%)", "peak resident (MB)"}},
        {"input_pipeline", {"wait (ms)"}}};
    const auto results = large_results();
    for (const auto& named : named_tables()) {
        for (const std::size_t width : {80, 120}) {
            const auto text = to_text(named.make(results), {.bars = true, .width = width});
            CAPTURE(text);
            std::istringstream lines(text);
            for (std::string line; std::getline(lines, line);) {
                const auto ellipses = std::ranges::count(line, '\xe2');  // each is three bytes
                CHECK(std::ssize(line) - 2 * ellipses <= static_cast<std::ptrdiff_t>(width));
            }
            const auto found = needed.find(named.name);
            if (found == needed.end()) continue;
            for (const auto* column : found->second) CHECK_THAT(text, Catch::Contains(column));
        }
    }
}

TEST_CASE("a loss that grew beyond all bounds keeps the widths of its table") {
    auto results = example_results();
    results.epochs[0].train_loss = 1440715572026674511872.0;
    results.epochs[0].test_loss = 999'999.9999;
    const auto text = to_text(epochs_table(results));
    CHECK_THAT(text, Catch::Contains(" 1.44072e+21 ") && Catch::Contains(" 999999.9999 "));
    results.epochs[0].test_loss = -1e6;
    CHECK_THAT(to_text(epochs_table(results)), Catch::Contains(" -1e+06 "));
    CHECK_THAT(to_csv(epochs_table(results)), Catch::Contains("1.44071557e+21"));
    CHECK(figure_text(47'607'808.0, {"", 1.0, 3}) == "47607808.000");  // bytes are no score
}

TEST_CASE("tables of an empty run have no rows") {
    for (const auto& table : named_tables()) {
        CHECK(table.make({}).rows.size() == (table.name == "final" ? 1 : 0));
        CHECK(table.make({}).name == table.name);
    }
}

TEST_CASE("every row is as long as its columns") {
    for (const auto& named : named_tables()) {
        const auto table = named.make(example_results());
        // Only some runs cut parameters, take steps apart or lose nodes; these tables have tests of their
        // own.
        const bool of_some = named.name == "parts" || named.name == "updates" || named.name == "staleness" ||
                             named.name == "failures";
        CHECK(table.rows.empty() == of_some);
        for (const auto& row : table.rows) CHECK(row.size() == table.columns.size());
    }
}
