#include "report/records_csv.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "csv_texts.hpp"
#include "example_run.hpp"
#include "report/tables.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

TEST_CASE("operators.csv") {
    auto results = results_of(example_run());
    results.operators.resize(5);
    CHECK(operators_csv(results.operators) ==
          "node,epoch,phase,operator,name,calls,total_us,mean_us,p50_us,p99_us,in_flight_us,hidden_us,"
          "exposed_us,"
          "folded_into,skew_us,exposed_skew_us,pass,kind,flops,read_bytes,written_bytes\n"
          "0,1,train,_FusedConv2D,conv1,2,600.000,300.000,300.000,300.500,,,,,,,,,,,\n"
          "0,1,train,Conv2D,conv1,,,,,,,,,_FusedConv2D,,,,,,,\n"
          "0,1,train,Relu,conv1,,,,,,,,,_FusedConv2D,,,,,,,\n"
          "0,1,train,CollectiveReduce,bucket0,2,200.000,100.000,100.000,100.500,400.000,300.000,200.000,,50."
          "000,25.000,,,,,\n"
          "0,1,evaluate,MatMul,\"dense, \"\"last\"\"\",2,100.000,50.000,50.000,50.500,,,,,,,,,,,\n");
}

TEST_CASE("an operator's kind and work are read back, and folders that do not have them are read") {
    auto operators = results_of(example_run()).operators;
    operators.resize(2);
    auto older = operators_csv(operators);
    const std::string_view columns = ",pass,kind,flops,read_bytes,written_bytes";
    older.erase(older.find(columns), columns.size());
    for (std::size_t end = older.find(",,,,,\n"); end != std::string::npos;
         end = older.find(",,,,,\n", end + 7))
        older.erase(end, 5);
    CHECK(rows_of(read_operators_csv, older, "o") == operators);

    for (auto& row : operators) {
        row.pass = "backward";
        row.kind = "fused_conv2d_backprop_filter";
    }
    operators[0].work = WorkDone{1'000'000'000'000, 20, 3};
    CHECK_THAT(operators_csv(operators),
               Contains(",,,,,,,backward,fused_conv2d_backprop_filter,1000000000000,20,3\n") &&
                   Contains(",_FusedConv2D,,,backward,fused_conv2d_backprop_filter,,,\n"));
    CHECK(rows_of(read_operators_csv, operators_csv(operators), "o") == operators);
}

TEST_CASE("steps.csv") {
    CHECK(
        steps_csv(results_of(example_run()).steps) ==
        "node,epoch,step,loss,examples,step_us,compute_us,wait_us,correct,global_loss,gradient_norm,penalty,"
        "core_look_us\n"
        "0,1,1,2,10,1000.000,600.000,400.000,3,2.66666667,,,\n"
        "0,1,2,1,10,500.000,400.000,100.000,5,1.66666667,,,\n"
        "1,1,1,3,20,2000.000,600.000,400.000,3,2.66666667,,,\n"
        "1,1,2,2,20,500.000,400.000,100.000,5,1.66666667,,,\n");
}

TEST_CASE("what a step may have is read back, and folders of before are read") {
    auto steps = results_of(example_run()).steps;
    steps.resize(1);
    const auto text = steps_csv(steps);
    auto older = text;
    older.replace(older.find(",gradient_norm,penalty,core_look_us"), 35, "");
    older.erase(older.rfind(",,,"), 3);
    CHECK(rows_of(read_steps_csv, older, "s") == steps);
    steps[0].gradient_norm = 1.5;
    steps[0].penalty = 0.25;
    steps[0].core_look_us = 12.125;
    CHECK_THAT(steps_csv(steps), Contains(",2,1.5,0.25,12.125\n"));
    CHECK(rows_of(read_steps_csv, steps_csv(steps), "s") == steps);
}

TEST_CASE("epochs.csv") {
    CHECK(epochs_csv(results_of(example_run()).epochs) ==
          "epoch,train_loss,train_accuracy,validation_loss,validation_accuracy,test_loss,test_accuracy,train_"
          "s,evaluate_s\n"
          "1,3.33333333,0.266666667,,,0.8,0.8,2.500000,0.250000\n");
}

TEST_CASE("system.csv") {
    auto results = results_of(example_run());
    results.system.resize(2);
    CHECK(system_csv(results.system) ==
          "node,time_s,cpu_user_pct,cpu_system_pct,cpu_iowait_pct,resident_bytes,sent_bytes,received_bytes,"
          "cpu_idle_pct,machine_used_bytes\n"
          "0,0.200000,90.000,10.000,1.000,100000000,0,0,60.000,\n"
          "0,0.400000,70.000,30.000,3.000,120000000,1000,2000,40.000,\n");
    results.system.back().machine_used_bytes = 3'000'000'000;
    CHECK_THAT(system_csv(results.system), Catch::EndsWith(",40.000,3000000000\n"));
    CHECK(rows_of(read_system_csv, system_csv(results.system), "s") == results.system);
}

TEST_CASE("bytes that nobody counted are empty cells, in the tables too") {
    auto results = results_of(example_run());
    results.system.resize(2);
    for (auto& sample : results.system) sample.sent_bytes = sample.received_bytes = std::nullopt;
    CHECK_THAT(system_csv(results.system), Contains("0,0.400000,70.000,30.000,3.000,120000000,,,40.000,\n"));
    CHECK(rows_of(read_system_csv, system_csv(results.system), "s") == results.system);
    results.summaries.front().sent_bytes.reset();
    CHECK(system_table(results).rows.at(0).at(11) == Cell());
    CHECK(utilisation_table(results).rows.at(2).at(8) == Cell());
    CHECK(network_table(results).rows.at(0).at(1) == Cell());
    CHECK(network_table(results).rows.at(0).at(3) == Cell());
}

TEST_CASE("a folder of before idle time was read still is, and has none") {
    const auto samples = rows_of(
        read_system_csv,
        "node,time_s,cpu_user_pct,cpu_system_pct,cpu_iowait_pct,resident_bytes,sent_bytes,received_bytes\n"
        "0,0.2,90,10,1,100000000,0,0\n",
        "old");
    REQUIRE(samples.size() == 1);
    CHECK_FALSE(samples[0].cpu_idle_pct);
    CHECK_THAT(system_csv(samples), Catch::EndsWith(",0,0,,\n"));
    RunResults results;
    results.summaries.emplace_back();
    results.system = samples;
    CHECK(system_table(results).rows.at(0).at(8) == Cell());
}

TEST_CASE("records come back from CSV as they went in") {
    const auto results = results_of(example_run());
    CHECK(rows_of(read_operators_csv, operators_csv(results.operators), "o") == results.operators);
    CHECK(rows_of(read_steps_csv, steps_csv(results.steps), "s") == results.steps);
    CHECK(rows_of(read_system_csv, system_csv(results.system), "y") == results.system);
    const auto epochs = rows_of(read_epochs_csv, epochs_csv(results.epochs), "e");
    REQUIRE(epochs.size() == 1);
    CHECK(*epochs[0].train_loss == Approx(10.0 / 3).epsilon(1e-8));
    CHECK_FALSE(epochs[0].validation_loss.has_value());
    CHECK(epochs[0].train_s == 2.5);
}

TEST_CASE("a loss that is not a number is an empty cell") {
    std::vector<StepRecord> steps{{0, 1, 1, std::nan(""), 0, 1, 1, 1, 0}};
    CHECK_THAT(steps_csv(steps), Contains("\n0,1,1,,1,1.000,1.000,0.000,0,,,,\n"));
    CHECK(std::isnan(rows_of(read_steps_csv, steps_csv(steps), "s").at(0).loss));
}

TEST_CASE("a CSV of another kind is refused") {
    CHECK_THROWS_WITH(rows_of(read_steps_csv, "node,epoch\n0,1\n", "steps.csv"),
                      "steps.csv: there is no column step");
    auto text = operators_csv(results_of(example_run()).operators);
    text.replace(text.find(",train,"), 7, ",trian,");
    CHECK_THROWS_WITH(
        rows_of(read_operators_csv, text, "operators.csv"),
        "operators.csv: line 2: phase: found \"trian\", expected train, evaluate or checkpoint");
}
