#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// The loss of each step over all nodes, as steps.csv has it.
std::vector<std::string> global_losses_of(const std::filesystem::path& run) {
    std::vector<std::string> losses;
    for (const auto& row : rows_of(run / "steps.csv")) {
        if (row.at("node") == "0") losses.push_back(row.at("global_loss").get<std::string>());
    }
    return losses;
}

}  // namespace

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

TEST_CASE("one to four nodes train to the same losses, dropout on, both kernel libraries") {
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

TEST_CASE("local SGD that averages after every step is SGD on the whole batch, and seldom is not") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.1}};
    spec["nodes"] = nodes(3);
    for (const std::string kernels : {"onednn", "xtensor"}) {
        spec["kernels"] = {{"name", kernels}};
        spec["strategy"] = "ring_allreduce";
        const auto together = run_spec(folder, spec, kernels + "-together");
        const auto run_with = [&](int average_every, const std::string& name) {
            spec["strategy"] = {
                {"name", "local_sgd"}, {"average_every", average_every}, {"bucket_bytes", 1024}};
            return run_spec(folder, spec, kernels + name);
        };
        check_same_losses(losses_of(together), losses_of(run_with(1, "-each")), 10);

        // Nobody hears of another before the evaluation: the losses are those of nodes alone.
        const auto seldom = run_with(1000, "-seldom");
        spec["strategy"] = "independent";
        const auto alone = run_spec(folder, spec, kernels + "-alone");
        CHECK(global_losses_of(seldom) == global_losses_of(alone));
        CHECK(text_of(seldom / "weights.safetensors") != text_of(alone / "weights.safetensors"));
        CHECK(text_of(run_with(4, "-some") / "weights.safetensors") ==
              text_of(run_with(4, "-again") / "weights.safetensors"));
    }
}

TEST_CASE("bfloat16 trains to losses near float32's, on one node and on two") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 2;
    spec["nodes"] = nodes(1);
    const auto expected = losses_of(run_spec(folder, spec, "float32"));
    spec["kernels"] = {{"compute_type", "bfloat16"}};
    for (const int count : {1, 2}) {
        spec["nodes"] = nodes(count);
        const auto run = run_spec(folder, spec, std::to_string(count));
        const auto found = losses_of(run);
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < 10; ++i) CHECK(found[i] == Approx(expected[i]).epsilon(0.03));
    }
}

TEST_CASE("where a processor has no bfloat16, a run says so and is one in float32") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const auto expected = run_spec(folder, spec, "float32");
    CHECK(json_of(expected / "environment.json").at("warnings").empty());
    spec["kernels"] = {{"compute_type", "bfloat16"}};
    // oneDNN then does as on an older processor.
    ::setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
    const auto outcome =
        run_convoy({"run", write_spec(folder, spec), "--out", (folder / "without").string(), "--json"});
    ::unsetenv("ONEDNN_MAX_CPU_ISA");
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("warning: $.kernels.compute_type") && Contains("float32 is used"));
    const auto warnings = json_of(folder / "without" / "environment.json").at("warnings");
    REQUIRE(warnings.size() == 1);
    CHECK_THAT(warnings.front().get<std::string>(), Contains("bfloat16"));
    check_same_losses(losses_of(expected), losses_of(folder / "without"), 10);
}

TEST_CASE("micro-batches give the same bits on one to four nodes, whatever the kernels") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["micro_batch_size"] = 2;
    const json all_kernels{{"onednn", {{"name", "onednn"}}},
                           {"xtensor", {{"name", "xtensor"}}},
                           {"bfloat16", {{"compute_type", "bfloat16"}}}};
    for (const auto& [name, kernels] : all_kernels.items()) {
        spec["kernels"] = kernels;
        spec["nodes"] = 1;
        const auto alone = run_spec(folder, spec, name + "-1");
        for (const int count : {2, 3, 4}) {
            spec["nodes"] = count;
            const auto run = run_spec(folder, spec, name + "-" + std::to_string(count));
            CHECK(text_of(run / "weights.safetensors") == text_of(alone / "weights.safetensors"));
            CHECK(global_losses_of(run) == global_losses_of(alone));
        }
    }
    // The same training as in one piece, but for rounding.
    spec = small_spec();
    check_same_losses(losses_of(run_spec(folder, spec, "whole")), losses_of(folder / "onednn-1"), 10);
}

TEST_CASE("a plan says how often a step runs each program, and what travels") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const auto whole = run_convoy({"plan", write_spec(folder, spec, "whole.json")});
    spec["micro_batch_size"] = 4;
    const auto micro = run_convoy({"plan", write_spec(folder, spec, "micro.json")});
    CHECK(micro.out.find("3 times in a step: gradients program of rank 0 of 2, 4 examples") !=
          std::string::npos);
    const auto sent = [](const std::string& text) {
        const auto end = text.find(" bytes sent");
        return std::stol(text.substr(text.rfind(' ', end - 1) + 1));
    };
    CHECK(sent(micro.out) == 2 * sent(whole.out));

    spec.erase("micro_batch_size");
    spec["strategy"]["algorithm"] = "tree";
    const auto tree = run_convoy({"plan", write_spec(folder, spec, "tree.json")});
    CHECK(sent(tree.out) == sent(whole.out));  // of two ranks each sends all of it, whatever the algorithm
    spec["strategy"] = {{"name", "local_sgd"}, {"average_every", 3}};
    const auto apart = run_convoy({"plan", write_spec(folder, spec, "apart.json")});
    CHECK(sent(apart.out) == 0);
    CHECK_THAT(apart.out,
               Contains(fmt::format("every 3 steps an average of weights: {} bytes sent", sent(whole.out))));
}

TEST_CASE("micro-batches need not divide shares, nor nodes batches") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 101;
    spec["batch_size"] = 25;
    spec["micro_batch_size"] = 4;
    spec["epochs"] = 2;  // the last batch of an epoch has one example: two nodes have none
    spec["nodes"] = 1;
    const auto alone = run_spec(folder, spec, "alone");
    spec["nodes"] = 3;
    const auto three = run_spec(folder, spec, "three");
    check_same_losses(losses_of(alone), losses_of(three), 10);
    spec["nodes"] = 2;
    spec["batch_size"] = 17;  // shares of 9 and 8: one node has a program that the other has not
    run_spec(folder, spec, "unlike");
    for (const auto& run : {alone, three}) {
        int examples = 0;
        for (const auto& row : rows_of(run / "steps.csv"))
            examples += std::stoi(row.at("examples").get<std::string>());
        CHECK(examples == 202);
    }
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

TEST_CASE("training ends early, on all nodes alike, once the validation loss does not improve") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["validation_fraction"] = 0.2;
    spec["epochs"] = 50;
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.0}};
    spec["early_stopping"] = {{"patience", 2}};
    CHECK(rows_of(run_spec(folder, spec, "early") / "epochs.csv").size() == 3);
}

TEST_CASE("training ends, on all nodes alike, once the target is reached, and the time that took is told") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 3;
    spec["target"] = {{"accuracy", 0.01}};
    const auto run = run_spec(folder, spec, "stops");
    CHECK(rows_of(run / "epochs.csv").size() == 1);
    const auto target = json_of(run / "summary.json").at("target");
    CHECK(target.at("split") == "test");
    CHECK(target.at("epoch") == 1);
    CHECK(target.at("time_to_accuracy_s").get<double>() > 0.0);
    spec["target"]["stop"] = false;
    CHECK(rows_of(run_spec(folder, spec, "goes on") / "epochs.csv").size() == 3);
    spec["target"] = {{"accuracy", 1.0}};
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.0}};
    const auto missed = run_spec(folder, spec, "misses");
    CHECK(rows_of(missed / "epochs.csv").size() == 3);
    CHECK(json_of(missed / "summary.json").at("target").at("epoch").is_null());
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

TEST_CASE("sums behind the next step's forward pass, and on several connections, change no bit") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 101;  // of the last batch two nodes have no share
    spec["batch_size"] = 25;
    spec["nodes"] = nodes(3);
    spec["epochs"] = 2;
    spec["optimizer"] = "adam";
    spec["schedule"] = "cosine";
    spec["kernels"] = GENERATE("onednn", "xtensor");
    const auto bytes = GENERATE(1, 4096);
    spec["strategy"] = {{"bucket_bytes", bytes}};
    const auto plain = run_spec(folder, spec, "plain");
    spec["strategy"] = {{"bucket_bytes", bytes}, {"overlap_forward", true}, {"connections", 3}};
    const auto carried = run_spec(folder, spec, "carried");
    CHECK(text_of(carried / "weights.safetensors") == text_of(plain / "weights.safetensors"));
    CHECK(global_losses_of(carried) == global_losses_of(plain));
}

TEST_CASE("gradients that travel in two bytes are half as many, and training hardly differs") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["measure"]["trace_steps"] = 0;
    const auto whole = run_spec(folder, spec, "float32");
    const auto sent = [](const std::filesystem::path& run) {
        return json_of(run / "summary.json").at("communication").at("bytes_sent_per_node")[0].get<double>();
    };
    for (const auto* type : {"float16", "bfloat16"}) {
        CAPTURE(type);
        spec["strategy"]["wire_type"] = type;
        const auto run = run_spec(folder, spec, type);
        CHECK(sent(run) == Approx(sent(whole) / 2).epsilon(0.1));
        const auto expected = losses_of(whole), found = losses_of(run);
        REQUIRE(found.size() == expected.size());
        CHECK(found.back() != expected.back());
        CHECK(found.back() == Approx(expected.back()).margin(0.05));
        CHECK(text_of(run / "weights.safetensors").size() == text_of(whole / "weights.safetensors").size());
    }
}

TEST_CASE("top_k that sends all is float32, on two nodes bit by bit, and less sends less") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 101;  // the last batch has one example: a node has no share of it
    spec["batch_size"] = 25;
    spec["epochs"] = 3;
    spec["kernels"] = GENERATE("onednn", "xtensor");
    const auto dense = run_spec(folder, spec, "dense");
    spec["strategy"]["wire_type"] = "top_k";
    spec["strategy"]["top_k"] = {{"fraction", 1.0}};
    const auto all = run_spec(folder, spec, "all");
    CHECK(text_of(all / "weights.safetensors") == text_of(dense / "weights.safetensors"));
    CHECK(global_losses_of(all) == global_losses_of(dense));

    spec["strategy"]["top_k"] = {{"fraction", 0.1}};
    const auto some = run_spec(folder, spec, "some");
    spec["strategy"]["overlap_forward"] = true;
    spec["strategy"]["connections"] = 2;
    const auto carried = run_spec(folder, spec, "carried");
    CHECK(text_of(some / "weights.safetensors") != text_of(dense / "weights.safetensors"));
    CHECK(text_of(some / "weights.safetensors") == text_of(carried / "weights.safetensors"));
    CHECK(global_losses_of(some) == global_losses_of(carried));
    const auto sent = [](const std::filesystem::path& run) {
        const auto summary = json_of(run / "summary.json");
        return summary.at("communication").at("bytes_sent_per_node").at(0).get<double>();
    };
    CHECK(sent(some) < 0.35 * sent(dense));
    CHECK(sent(all) > 1.9 * sent(dense));
}

TEST_CASE("with top_k losses fall, to the same bits every time, and a plan says what travels") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 8;
    spec["nodes"] = nodes(3);
    spec["strategy"]["wire_type"] = "top_k";
    spec["strategy"]["top_k"] = {{"fraction", 0.1}};
    const auto run = run_spec(folder, spec, "run");
    const auto epoch = [&](std::size_t row) {
        return std::stod(rows_of(run / "epochs.csv").at(row).at("train_loss").get<std::string>());
    };
    CHECK(epoch(7) < epoch(0) - 0.25);
    CHECK(text_of(run / "weights.safetensors") ==
          text_of(run_spec(folder, spec, "again") / "weights.safetensors"));
    const auto plan = run_convoy({"plan", write_spec(folder, spec)});
    CHECK_THAT(plan.out, Contains(" gathering of top_k 0.1 on connection 0"));
}

TEST_CASE("synchronised statistics go with sums behind the next step's forward pass") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["nodes"] = nodes(2);
    spec["model"]["layers"].insert(spec["model"]["layers"].begin() + 1,
                                   json::parse(R"({"type": "batch_norm"})"));
    spec["strategy"] = {{"batch_norm_statistics", "synchronised"}, {"bucket_bytes", 1}};
    const auto plain = run_spec(folder, spec, "plain");
    spec["strategy"].update({{"overlap_forward", true}, {"connections", 2}});
    const auto carried = run_spec(folder, spec, "carried");
    CHECK(text_of(carried / "weights.safetensors") == text_of(plain / "weights.safetensors"));
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

TEST_CASE("when examples are prepared, and where they are kept, changes no bit") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["epochs"] = 2;
    spec["dataset"]["validation_fraction"] = 0.25;
    const auto weights = text_of(run_spec(folder, spec, "each") / "weights.safetensors");
    for (const std::string when : {"ahead", "first_epoch"}) {
        for (const std::string where : {"memory", "disk"}) {
            spec["input_pipeline"] = {{"prepare", when}, {"store", where}, {"cache", false}, {"prefetch", 0}};
            const auto run = run_spec(folder, spec, when + "-" + where);
            CHECK(text_of(run / "weights.safetensors") == weights);
        }
    }
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

TEST_CASE("prefetching and caching change nothing but time") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const auto ahead = run_spec(folder, spec, "ahead");
    spec["input_pipeline"] = {{"prefetch", 0}, {"cache", false}};
    const auto behind = run_spec(folder, spec, "behind");
    CHECK(text_of(ahead / "weights.safetensors") == text_of(behind / "weights.safetensors"));
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

TEST_CASE(
    "batch normalisation: nodes agree on their moving statistics before evaluation and in the weights") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["model"] = json::parse(R"({"input": [1, 28, 28], "layers": [
        {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 4, "l2": 0.001, "initializer": "he_normal"},
        {"type": "batch_norm", "name": "norm", "momentum": 0.5, "activation": "relu"},
        {"type": "conv2d", "name": "branch", "filters": 16, "kernel": 1},
        {"type": "add", "inputs": ["norm", "branch"]},
        {"type": "flatten"},
        {"type": "dense", "units": 10, "activation": "softmax"}]})");
    // Three nodes share 16 examples unevenly, and the last batch of an epoch, of 2, leaves one with none.
    spec["nodes"] = nodes(3);
    spec["batch_size"] = 16;
    spec["dataset"]["train_examples"] = 242;
    spec["epochs"] = 2;
    const auto run = run_spec(folder, spec, "run");
    CHECK(text_of(run / "weights.safetensors").find("norm.moving_variance") != std::string::npos);
    int rows = 0;
    for (const auto& row : rows_of(run / "operators.csv"))
        rows += row.at("operator") == "CollectiveReduce" && row.at("name") == "moving_statistics" ? 1 : 0;
    CHECK(rows == 2 * 3);

    const double found = json_of(run / "summary.json").at("final").at("test_loss").get<double>();
    const auto outcome = run_convoy({"evaluate", "--threads", "1", run.string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    INFO(outcome.out << "\nexpected test loss " << found);
    CHECK(outcome.out.find(fmt::format("{:.4f}", found)) != std::string::npos);
}
