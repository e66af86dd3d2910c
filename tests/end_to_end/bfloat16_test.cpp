#include <catch2/catch.hpp>
#include <cstdlib>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

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
