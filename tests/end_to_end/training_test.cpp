#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("the same spec gives the same bits") {
    const TemporaryFolder folder;
    const auto first = run_spec(folder, small_spec(), "first");
    const auto second = run_spec(folder, small_spec(), "second");
    CHECK(text_of(first / "weights.safetensors") == text_of(second / "weights.safetensors"));
    CHECK(json_of(first / "summary.json").at("run_id") == json_of(second / "summary.json").at("run_id"));

    auto other = small_spec();
    other["seed"] = 2;
    const auto third = run_spec(folder, other, "third");
    CHECK(text_of(first / "weights.safetensors") != text_of(third / "weights.safetensors"));
}

TEST_CASE("one to four nodes train to the same losses, dropout on, both kernel libraries", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 2;
    spec["nodes"] = nodes(1);
    const auto alone = losses_of(run_spec(folder, spec, "1"));
    for (const int count : {2, 3, 4}) {
        spec["nodes"] = nodes(count);
        check_same_losses(alone, losses_of(run_spec(folder, spec, std::to_string(count))), 20);
    }
    spec["kernels"] = {{"name", "xtensor"}};
    check_same_losses(alone, losses_of(run_spec(folder, spec, "xtensor")), 20);
    spec["kernels"] = {{"fusion", false}};
    check_same_losses(alone, losses_of(run_spec(folder, spec, "unfused")), 20);
    spec["kernels"] = {{"parameter_layout", "plain"}};
    check_same_losses(alone, losses_of(run_spec(folder, spec, "plain")), 20);
}

TEST_CASE("nodes with unlike kernels train together to the same losses") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 2;
    spec["nodes"] = nodes(1);
    const auto alone = losses_of(run_spec(folder, spec, "alone"));
    spec["nodes"] = nodes(2);
    spec["nodes"][0]["kernels"] = "xtensor";
    spec["kernels"] = {{"parameter_layout", "plain"}};
    check_same_losses(alone, losses_of(run_spec(folder, spec, "mixed")), 20);
    spec["nodes"][0]["kernels"] = {{"parameter_layout", "plain"}, {"convolution", "direct"}};
    check_same_losses(alone, losses_of(run_spec(folder, spec, "direct")), 20);
    spec["kernels"] = "onednn";
    const auto refused = run_convoy({"plan", write_spec(folder, spec)});
    CHECK(refused.code == 65);
    CHECK_THAT(refused.err, Contains("$.kernels.parameter_layout: found \"auto\", expected \"plain\""));
}

TEST_CASE("nodes with unlike numbers of threads train together") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["batch_size"] = 129;  // unlike shares, too
    spec["nodes"] = nodes(1);
    const auto alone = losses_of(run_spec(folder, spec, "alone"));
    spec["nodes"] = json::parse(R"([{"threads": 1}, {"threads": 2}])");
    const auto unlike = losses_of(run_spec(folder, spec, "unlike"));
    check_same_losses(alone, unlike, alone.size());
}

TEST_CASE("a schedule scales the learning rate") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.05}};
    const auto plain = losses_of(run_spec(folder, spec, "plain"));
    spec["optimizer"]["learning_rate"] = 0.1;
    spec["schedule"] = {{"name", "step"}, {"every_epochs", 1}, {"factor", 1.0}};
    const auto twice = losses_of(run_spec(folder, spec, "twice"));
    spec["optimizer"]["learning_rate"] = 0.025;
    spec["schedule"] = {{"scale_by_nodes", true}};
    const auto scaled = losses_of(run_spec(folder, spec, "scaled"));
    CHECK(plain == scaled);
    CHECK(plain != twice);
}

TEST_CASE("batches and epochs need not divide") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 101;
    spec["dataset"]["test_examples"] = 7;
    spec["batch_size"] = 25;
    spec["nodes"] = nodes(1);
    const auto alone = run_spec(folder, spec, "alone");
    spec["nodes"] = nodes(3);
    const auto three = run_spec(folder, spec, "three");
    check_same_losses(losses_of(alone), losses_of(three), 5);  // the last batch has one example

    int examples = 0;
    for (const auto& row : rows_of(three / "steps.csv"))
        examples += std::stoi(row.at("examples").get<std::string>());
    CHECK(examples == 101);
    // Seven test images over three nodes: accuracy is a multiple of one seventh only if each is counted once.
    const double sevenths =
        json_of(three / "summary.json").at("final").at("test_accuracy").get<double>() * 7.0;
    CHECK(std::abs(sevenths - std::round(sevenths)) < 1e-9);
    CHECK(json_of(three / "summary.json").at("final").at("test_loss").get<double>() ==
          Approx(json_of(alone / "summary.json").at("final").at("test_loss").get<double>()).epsilon(1e-4));
}

TEST_CASE("contiguous shards are trained on whole") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["sharding"] = {{"scheme", "contiguous"}};
    const auto run = run_spec(folder, spec, "out");
    CHECK(losses_of(run).size() == 10);
}

TEST_CASE("training can start from given weights, and max_steps 0 writes the initial ones") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["max_steps"] = 0;
    const auto initial = run_spec(folder, spec, "initial");
    spec["seed"] = 99;
    spec["initial_weights"] = (initial / "weights.safetensors").string();
    const auto copied = run_spec(folder, spec, "copied");
    CHECK(text_of(copied / "weights.safetensors") == text_of(initial / "weights.safetensors"));

    spec = small_spec();
    const auto from_seed = losses_of(run_spec(folder, spec, "from_seed"));
    spec["initial_weights"] = (initial / "weights.safetensors").string();
    CHECK(losses_of(run_spec(folder, spec, "from_file")) == from_seed);
}

TEST_CASE("mnist_cnn learns the real digits", "[real_data]") {
    INFO("CONVOY_DATA must name a folder that holds mnist/");
    REQUIRE(std::getenv("CONVOY_DATA") != nullptr);
    const TemporaryFolder folder;
    const json spec = {{"dataset", {{"name", "mnist"}, {"train_examples", 6000}, {"test_examples", 1000}}},
                       {"model", "mnist_cnn"},
                       {"nodes", 2},
                       {"batch_size", 64},
                       {"kernels", {{"compute_type", GENERATE("float32", "bfloat16")}}}};
    const auto run = run_spec(folder, spec, "out");
    CHECK(json_of(run / "summary.json").at("final").at("test_accuracy").get<double>() > 0.85);
}
