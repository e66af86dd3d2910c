#include <catch2/catch.hpp>
#include <cmath>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

TEST_CASE("clipped gradients: the same training on one, two and four nodes, and the norm is recorded",
          "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.1}};
    spec["nodes"] = nodes(1);
    const auto unclipped = losses_of(run_spec(folder, spec, "unclipped"));
    const auto norms_of = [](const std::filesystem::path& run) {
        std::vector<std::string> norms;
        for (const auto& row : rows_of(run / "steps.csv"))
            norms.push_back(row.value("gradient_norm", std::string()));
        return norms;
    };
    for (const std::string kernels : {"onednn", "xtensor"}) {
        spec["kernels"] = kernels;
        for (const std::string by : {"global_norm", "norm", "value"}) {
            spec["gradient_clipping"] = {{"by", by}, {"limit", by == "value" ? 0.002 : 0.1}};
            spec["nodes"] = nodes(1);
            const auto alone = run_spec(folder, spec, kernels + by + "1");
            CHECK(std::abs(losses_of(alone).at(9) - unclipped.at(9)) > 1e-2);
            for (const int count : {2, 4}) {
                INFO(kernels << " " << by << " " << count);
                spec["nodes"] = nodes(count);
                const auto run = run_spec(folder, spec, kernels + by + std::to_string(count));
                check_same_losses(losses_of(alone), losses_of(run), 10);
                const auto norms = norms_of(run);
                const auto steps = norms.size() / static_cast<std::size_t>(count);
                for (std::size_t i = steps; i < norms.size(); ++i) CHECK(norms[i] == norms[i - steps]);
                const auto in_summary = json_of(run / "summary.json").at("gradient_norm");
                CHECK(in_summary.is_null() == (by != "global_norm"));
                if (by != "global_norm") continue;
                CHECK(std::stod(norms.at(0)) == Approx(std::stod(norms_of(alone).at(0))).epsilon(1e-4));
                CHECK(in_summary.at("max").get<double>() > 0.1);
                bool in_table = false;
                for (const auto& row : rows_of(run / "operators.csv"))
                    in_table = in_table || row.at("operator") == "_GlobalNorm";
                CHECK(in_table);
            }
        }
    }
}

TEST_CASE("clipped gradients and micro-batches: the same bits on one, two and four nodes", "[large]") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["micro_batch_size"] = 2;
    spec["gradient_clipping"] = {{"limit", 0.25}};
    for (const json& kernels : {json{{"name", "onednn"}}, json{{"compute_type", "bfloat16"}}}) {
        spec["kernels"] = kernels;
        spec["nodes"] = 1;
        const auto name = kernels.begin().value().get<std::string>();
        const auto alone = run_spec(folder, spec, name + "1");
        for (const int count : {2, 4}) {
            spec["nodes"] = count;
            const auto run = run_spec(folder, spec, name + std::to_string(count));
            CHECK(text_of(run / "weights.safetensors") == text_of(alone / "weights.safetensors"));
            CHECK(json_of(run / "summary.json").at("gradient_norm") ==
                  json_of(alone / "summary.json").at("gradient_norm"));
        }
    }
}

TEST_CASE("with local SGD each node clips its own gradients") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["optimizer"] = {{"name", "sgd"}, {"learning_rate", 0.1}};
    spec["strategy"] = {{"name", "local_sgd"}, {"average_every", 4}};
    spec["gradient_clipping"] = {{"limit", 0.1}};
    const auto rows = rows_of(run_spec(folder, spec, "clipped") / "steps.csv");
    REQUIRE(rows.size() == 20);
    CHECK(rows[0].at("gradient_norm") != rows[10].at("gradient_norm"));
}
