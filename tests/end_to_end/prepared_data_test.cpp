#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("when examples are prepared, and where they are kept, changes no bit", "[large]") {
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

TEST_CASE("prefetching and caching change nothing but time") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const auto ahead = run_spec(folder, spec, "ahead");
    spec["input_pipeline"] = {{"prefetch", 0}, {"cache", false}};
    const auto behind = run_spec(folder, spec, "behind");
    CHECK(text_of(ahead / "weights.safetensors") == text_of(behind / "weights.safetensors"));
}
