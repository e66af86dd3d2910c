#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "../data/idx_files.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("named pipes in place of data files are refused, and nobody waits for a writer") {
    const TemporaryFolder folder;
    write_small_dataset(folder, "mnist", false);
    auto spec = small_spec();
    spec["dataset"] = {{"name", "mnist"}};
    spec["batch_size"] = 4;
    const auto file = write_spec(folder, spec);
    const std::string name = GENERATE(as<std::string>{}, "train-images-idx3-ubyte", "t10k-labels-idx1-ubyte");
    std::filesystem::remove(folder / "mnist" / name);
    REQUIRE(::mkfifo((folder / "mnist" / name).c_str(), 0600) == 0);
    const auto outcome =
        run_convoy({"run", file, "--out", (folder / "out").string(), "--data", folder.path().string()});
    CHECK(outcome.code == 66);
    CHECK_THAT(outcome.err, Contains(name) && Contains("is not a regular file"));
}

TEST_CASE("a named pipe in place of weights is refused") {
    const TemporaryFolder folder;
    auto spec = small_spec();
    const auto pipe = (folder / "weights.safetensors").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    spec["initial_weights"] = pipe;
    const auto outcome = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    CHECK(outcome.code == 66);
    CHECK_THAT(outcome.err, Contains("weights.safetensors") && Contains("is not a regular file"));
}
