#include <catch2/catch.hpp>
#include <iostream>
#include <sstream>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "report/example_run.hpp"
#include "watch.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

TEST_CASE("a loss that is no number does not hide the step under way") {
    const TemporaryFolder temporary;
    const PartialRun partial(temporary / "run", example_run(), 2, 2, PartialRun::Open::fresh);
    write_whole(
        partial.path() / "progress.json",
        std::string_view(R"({"phase": "train", "epoch": 2, "epochs": 9, "step": 7, "steps": 90, "node": 0,
                                     "loss": null, "accuracy": 0.5, "examples_per_second": 10.0})"));
    const std::vector<std::string> words{"--once", (temporary / "run").string()};
    const std::ostringstream captured;
    auto* const before = std::cout.rdbuf(captured.rdbuf());
    const int code = watch_command(words);
    std::cout.rdbuf(before);
    CHECK(code == 0);
    CHECK_THAT(captured.str(), Contains("train, epoch 2/9, step 7/90, node 0, loss nan, accuracy 0.5000"));
}
