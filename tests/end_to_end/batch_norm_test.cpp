#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

/// Two normalisations; the last batch of an epoch has 5 examples, which four nodes share unevenly.
json normalised_spec() {
    auto spec = small_spec();
    spec["dataset"] = {{"name", "synthetic_digits"}, {"train_examples", 101}, {"test_examples", 50}};
    spec["model"]["layers"] = json::parse(R"([
        {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 2},
        {"type": "batch_norm", "momentum": 0.9, "activation": "relu"},
        {"type": "conv2d", "filters": 8, "kernel": 3, "stride": 2},
        {"type": "batch_norm", "momentum": 0.9},
        {"type": "flatten"},
        {"type": "dense", "units": 10, "activation": "softmax"}])");
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.1}};
    spec["epochs"] = 2;
    return spec;
}

double test_loss_of(const std::filesystem::path& run) {
    return json_of(run / "summary.json").at("final").at("test_loss");
}

}  // namespace

TEST_CASE("with synchronised statistics the number of nodes changes rounding alone", "[large]") {
    const TemporaryFolder folder;
    for (const std::string kernels : {"onednn", "xtensor"}) {
        auto spec = normalised_spec();
        spec["kernels"] = kernels;
        spec["strategy"] = {{"bucket_bytes", 1024}, {"batch_norm_statistics", "synchronised"}};
        spec["nodes"] = nodes(1);
        const auto alone = run_spec(folder, spec, kernels + "-1");
        for (const int count : {2, 3, 4}) {
            INFO(kernels << " " << count);
            spec["nodes"] = nodes(count);
            const auto run = run_spec(folder, spec, kernels + "-" + std::to_string(count));
            check_same_losses(losses_of(alone), losses_of(run), 10);
            // The moving statistics are those of one node, too.
            CHECK(test_loss_of(run) == Approx(test_loss_of(alone)).epsilon(1e-3));
        }
        spec["strategy"].erase("batch_norm_statistics");
        const auto apart = losses_of(run_spec(folder, spec, kernels + "-apart"));
        CHECK(std::abs(apart.at(5) - losses_of(alone).at(5)) > 1e-2);
    }
}

TEST_CASE("synchronised statistics go with every way of reducing, and a node may have no example",
          "[large]") {
    const TemporaryFolder folder;
    auto spec = normalised_spec();
    spec["batch_size"] = 25;  // the last batch of an epoch has one example
    spec["nodes"] = nodes(1);
    const auto alone = run_spec(folder, spec, "alone");
    spec["nodes"] = nodes(3);
    const json strategies{{"overlap", {{"bucket_bytes", 1024}}},
                          {"in one piece", {{"bucketing", "end_of_step"}, {"overlap", false}}},
                          {"by tensor", {{"bucketing", "per_tensor"}, {"algorithm", "tree"}}}};
    for (const auto& [name, strategy] : strategies.items()) {
        spec["strategy"] = strategy;
        spec["strategy"]["batch_norm_statistics"] = "synchronised";
        const auto run = run_spec(folder, spec, name);
        check_same_losses(losses_of(alone), losses_of(run), 10);
        CHECK(test_loss_of(run) == Approx(test_loss_of(alone)).epsilon(1e-3));
        int sums = 0;
        for (const auto& row : rows_of(run / "operators.csv")) {
            const auto of_statistics =
                row.at("operator") == "CollectiveReduce" &&
                (row.at("name") == "batch_norm_1.moments" || row.at("name") == "batch_norm_1.gradient_sums");
            if (row.at("phase") != "train" || !of_statistics) continue;
            CHECK(row.at("calls") == "5");
            ++sums;
        }
        CHECK(sums == 2 * 2 * 3);  // sums, epochs, nodes
    }
}

TEST_CASE("synchronised statistics with recompute, without fusion, clipped and in bfloat16", "[large]") {
    const TemporaryFolder folder;
    auto spec = normalised_spec();
    spec["strategy"] = {{"batch_norm_statistics", "synchronised"}};
    spec["gradient_clipping"] = {{"limit", 1.0}};
    const json all_kernels{{"unfused", {{"fusion", false}}}, {"again", {{"recompute", true}}}};
    for (const auto& [name, kernels] : all_kernels.items()) {
        spec["kernels"] = kernels;
        spec["nodes"] = nodes(1);
        const auto alone = losses_of(run_spec(folder, spec, name + "-1"));
        spec["nodes"] = nodes(2);
        check_same_losses(alone, losses_of(run_spec(folder, spec, name + "-2")), 10);
    }
    spec["kernels"] = {{"compute_type", "bfloat16"}};
    spec["nodes"] = nodes(1);
    const auto alone = losses_of(run_spec(folder, spec, "bfloat16-1"));
    spec["nodes"] = nodes(2);
    const auto two = losses_of(run_spec(folder, spec, "bfloat16-2"));
    for (std::size_t i = 0; i < alone.size(); ++i) CHECK(two.at(i) == Approx(alone[i]).epsilon(0.03));
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
