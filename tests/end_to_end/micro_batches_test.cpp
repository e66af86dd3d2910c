#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

TEST_CASE("micro-batches give the same bits on one to four nodes, whatever the kernels", "[large]") {
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

TEST_CASE("micro-batches need not divide shares, nor nodes batches") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["dataset"]["train_examples"] = 101;
    spec["batch_size"] = 25;
    spec["micro_batch_size"] = 4;
    spec["epochs"] = 2;  // the last batch of an epoch has one example: the first node takes it
    spec["nodes"] = 1;
    const auto alone = run_spec(folder, spec, "alone");
    CHECK(json_of(alone / "summary.json").at("bits_independent_of_nodes") == true);
    const std::vector counts = is_sanitized ? std::vector{2} : std::vector{2, 3, 8};
    for (const int count : counts) {  // seven micro-batches: the eighth node has none
        spec["nodes"] = count;
        const auto run = run_spec(folder, spec, std::to_string(count));
        CHECK(text_of(run / "weights.safetensors") == text_of(alone / "weights.safetensors"));
        CHECK(global_losses_of(run) == global_losses_of(alone));
        int examples = 0;
        for (const auto& row : rows_of(run / "steps.csv"))
            examples += std::stoi(row.at("examples").get<std::string>());
        CHECK(examples == 202);
    }
}
