#include "report/summary.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/error_line.hpp"
#include "example_run.hpp"
#include "report/figures.hpp"

using namespace convoy;
using Catch::Matchers::StartsWith;
using nlohmann::json;

TEST_CASE("summary.json has the keys that scripts rely on") {
    auto summary = summary_json(results_of(example_run()));
    CHECK(summary.at("per_node").size() == 2);
    summary.erase("per_node");
    const auto expected = json::parse(R"({
        "name": "example", "run_id": "0123456789ab", "status": "done", "nodes": 2, "batch_size": 30, "cluster": null, "target": null,
        "balance": null,
        "planned_pipeline": null,
        "steps": 2, "epochs": 1,
        "final": {"train_loss": 3.3333333333333335, "train_accuracy": 0.26666666666666666,
                  "validation_loss": null, "validation_loss_reason": "no validation examples were evaluated",
                  "validation_accuracy": null, "validation_accuracy_reason": "no validation examples were evaluated",
                  "test_loss": 0.8, "test_accuracy": 0.8},
        "phases_s": {"read": 0.5, "preprocess": 0.25, "train": 2.5, "evaluate": 0.25, "checkpoint": 0.0, "total": 3.5, "fetch": 0.0},
        "input_pipeline_s": {"interleave": 0.01, "prepare": 0.02, "shuffle": 1.03, "batch": 0.04, "map": 0.05, "augment": 0.06},
        "resumed_from_steps": [], "failures": [], "faults": [], "bits_independent_of_nodes": false,
        "step_us": {"mean": 1250.0, "p05": 575.0, "p50": 1250.0, "p99": 1985.0, "undisturbed": null, "undisturbed_reason": "the nodes did not look at their cores"},
        "examples_per_second": {"mean": 24000.0, "p50": 37500.0},
        "data": {"wait_us": 0.0},
        "measurement": null, "measurement_reason": "not all nodes told how they shared their machines",
        "gradient_norm": null, "gradient_norm_reason": "gradients were not clipped by their global norm",
        "communication": {"bytes_sent_per_node": [4000, 4000], "bytes_received_per_node": [4000, 4000],
                          "in_flight_us": 400.0, "hidden_us": 300.0, "exposed_us": 300.0, "skew_us": 50.0, "exposed_skew_us": 25.0},
        "memory": {"peak_resident_bytes_per_node": [130000000, 130000000]},
        "cpu": {"user_pct_per_node": [80.0, 57.142857142857146],
                "system_pct_per_node": [20.0, 14.285714285714286]}})");
    CHECK(summary.dump(1) == expected.dump(1));
}

TEST_CASE("times of servers are not in step_us, nor in the times of communication and training") {
    auto results = results_of(example_run());
    results.nodes = 1;  // the other is a server
    for (auto& row : results.operators)
        if (row.communication && row.node == 1) row.communication->exposed_us = 1e9;
    for (auto& row : results.steps) {
        if (row.node != 1) continue;
        row.step_us = 1e9;
        row.examples = 0;
    }
    results.summaries.at(1).train_s = 1e9;
    const auto summary = summary_json(results);
    const auto exposed_us = communication_of(results.operators, 0).exposed_us;
    REQUIRE(exposed_us > 0.0);
    CHECK(summary.at("communication").at("exposed_us") == exposed_us);
    CHECK(summary.at("step_us").at("p99").get<double>() < 1e6);
    CHECK(summary.at("phases_s").at("train") == results.summaries.at(0).train_s);
    CHECK(summary.at("communication").at("bytes_sent_per_node") == json::array({4000, 4000}));
}

TEST_CASE("where a run went on from a checkpoint is told and read back, and older runs did not say it") {
    auto results = results_of(example_run());
    results.resumed_from_steps = {4, 12};
    results.summaries.at(1).checkpoint_s = 0.75;
    auto summary = summary_json(results);
    CHECK(summary.at("resumed_from_steps") == json::array({4, 12}));
    CHECK(summary.at("phases_s").at("checkpoint") == 0.75);
    RunResults back;
    read_summary_json(summary, "summary.json", back);
    CHECK(back.resumed_from_steps == results.resumed_from_steps);
    CHECK(back.summaries == results.summaries);
    summary.erase("resumed_from_steps");
    RunResults older;
    read_summary_json(summary, "summary.json", older);
    CHECK(older.resumed_from_steps.empty());
    summary["resumed_from_steps"] = {"x"};
    CHECK_THROWS_AS(read_summary_json(summary, "summary.json", older), DataError);
}

TEST_CASE("the norms of clipped gradients are told, those that are none left out") {
    auto results = results_of(example_run());
    for (std::size_t i = 0; i < results.steps.size(); ++i)
        results.steps[i].gradient_norm = static_cast<double>(i + 1);
    // Of two nodes: 1 and 2, then 3 and one that counts for nothing.
    results.steps.back().gradient_norm = std::numeric_limits<double>::infinity();
    const auto norms = summary_json(results).at("gradient_norm");
    CHECK(norms.at("p50") == 2.5);
    CHECK(norms.at("p99").get<double>() == Approx(2.99));
    CHECK(norms.at("max") == 3.0);
}

TEST_CASE("a run without steps has null with a reason, never NaN") {
    RunResults results;
    const auto summary = summary_json(results);
    CHECK(summary.at("final").at("train_loss").is_null());
    CHECK(summary.at("final").at("train_loss_reason") == "nothing was trained");
    CHECK(summary.at("step_us").at("p99").is_null());
    CHECK(summary.at("step_us").at("p99_reason") == "no step was trained");
    CHECK(summary.at("examples_per_second").at("mean").is_null());

    results.epochs.resize(1);
    results.epochs[0].train_loss = std::numeric_limits<double>::infinity();
    CHECK(summary_json(results).at("final").at("train_loss").is_null());
    CHECK(summary_json(results).at("final").at("train_loss_reason") == "the value is not finite");
}

TEST_CASE("a summary tells on which emulated hosts a run was, and is read back") {
    auto results = results_of(example_run());
    results.cluster =
        EmulatedCluster{.hosts = 5, .link_mbit = 1000.0, .cpu = 0.35, .memory_mb = std::nullopt};
    auto summary = summary_json(results);
    CHECK(summary.at("cluster") ==
          json::parse(R"({"hosts": 5, "link_mbit": 1000.0, "cpu": 0.35, "memory_mb": null})"));
    RunResults read;
    read_summary_json(summary, "summary.json", read);
    CHECK(read.cluster == results.cluster);
    CHECK(read.cluster->text() == "5 emulated hosts (1000 Mbit/s, 0.35 cores)");
    CHECK(EmulatedCluster{.hosts = 1, .link_mbit = {}, .cpu = {}, .memory_mb = {}}.text() ==
          "1 emulated host (without limits)");

    results.cluster = EmulatedCluster{
        .hosts = 2, .link_mbit = 100.0, .unlike = {{.link_mbit = 100.0, .cpu = 1.0}, {.link_mbit = 100.0}}};
    summary = summary_json(results);
    CHECK(summary.at("cluster").at("unlike") == json::parse(R"([
        {"link_mbit": 100.0, "cpu": 1.0, "memory_mb": null}, {"link_mbit": 100.0, "cpu": null, "memory_mb": null}])"));
    read_summary_json(summary, "summary.json", read);
    CHECK(read.cluster == results.cluster);
    CHECK(read.cluster->text() == "2 unlike emulated hosts (100 Mbit/s)");

    summary.erase("cluster");
    read_summary_json(summary, "summary.json", read);
    CHECK_FALSE(read.cluster);
    summary["cluster"] = {{"hosts", "five"}};
    CHECK_THROWS_WITH(read_summary_json(summary, "summary.json", read),
                      "summary.json: cluster: expected null or hosts and their limits");
}

TEST_CASE("a summary tells when a run reached its target, and is read back") {
    auto results = results_of(example_run());
    CHECK(summary_json(results).at("target").is_null());
    results.target = AccuracyTarget{0.75, "test"};
    auto summary = summary_json(results);
    CHECK(summary.at("target") ==
          nlohmann::json{{"accuracy", 0.75}, {"split", "test"}, {"epoch", 1}, {"time_to_accuracy_s", 2.75}});
    RunResults again;
    read_summary_json(summary, "here", again);
    CHECK(again.target == results.target);
    results.target->accuracy = 0.9;
    const auto missed = summary_json(results).at("target");
    CHECK(missed.at("time_to_accuracy_s").is_null());
    CHECK(missed.at("time_to_accuracy_s_reason") == "no epoch reached it");
    summary["target"] = 0.9;
    CHECK_THROWS_WITH(read_summary_json(summary, "here", again),
                      Catch::Matchers::Contains("here: target: expected null"));
    summary.erase("target");  // as older runs
    RunResults old;
    read_summary_json(summary, "here", old);
    CHECK_FALSE(old.target);
}

TEST_CASE("a summary is read back, and another JSON is refused") {
    const auto results = results_of(example_run());
    const auto summary = summary_json(results);
    RunResults read;
    read_summary_json(summary, "summary.json", read);
    CHECK(read.name == results.name);
    CHECK(read.batch_size == 30);
    CHECK(read.summaries == results.summaries);

    auto wrong = summary;
    wrong["nodes"] = "two";
    CHECK_THROWS_WITH(read_summary_json(wrong, "summary.json", read),
                      "summary.json: nodes: expected an integer");
    wrong["nodes"] = 1'000'000'000'000;
    CHECK_THROWS_WITH(read_summary_json(wrong, "summary.json", read),
                      "summary.json: nodes: found 1000000000000, expected at most 4096");
    wrong = summary;
    wrong.erase("per_node");
    CHECK_THROWS_AS(read_summary_json(wrong, "summary.json", read), DataError);
    CHECK_THROWS_AS(read_summary_json(json(3), "summary.json", read), DataError);
}

TEST_CASE("a damaged summary is refused by file and field") {
    const auto whole = summary_json(results_of(example_run()));
    const auto refusal = [&](const char* pointer, const json& value) {
        auto summary = whole;
        summary[json::json_pointer(pointer)] = value;
        RunResults read;
        return error_line<DataError>([&] { read_summary_json(summary, "summary.json", read); });
    };
    CHECK_THAT(refusal("/name", "a\x1b[31m"),
               StartsWith(R"(summary.json: name: found "a\u001b[31m", expected a name)"));
    CHECK_THAT(refusal("/run_id", "../x"), StartsWith("summary.json: run_id: "));
    CHECK_THAT(refusal("/status", "=done"), StartsWith("summary.json: status: "));
    CHECK_THAT(refusal("/nodes", -1), StartsWith("summary.json: nodes: "));
    CHECK_THAT(refusal("/batch_size", 0), StartsWith("summary.json: batch_size: "));
    CHECK_THAT(refusal("/batch_size", 2.0), StartsWith("summary.json: batch_size: "));
    CHECK_THAT(refusal("/cluster",
                       {{"hosts", 1e64}, {"link_mbit", nullptr}, {"cpu", nullptr}, {"memory_mb", nullptr}}),
               StartsWith("summary.json: cluster: "));
    CHECK_THAT(refusal("/per_node/1", json::object()), StartsWith("summary.json: per_node[1]: "));
    CHECK_THAT(refusal("/per_node/0/train_s", "x"), StartsWith("summary.json: per_node[0]: "));
}
