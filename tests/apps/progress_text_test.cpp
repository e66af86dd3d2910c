#include "progress_text.hpp"

#include <catch2/catch.hpp>

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

NodeProgress some_progress() {
    return {.rank = 0,
            .phase = "train",
            .epoch = 3,
            .epochs = 12,
            .step = 40,
            .steps = 160,
            .loss = 2.25,
            .accuracy = 0.125,
            .examples = 96,
            .examples_per_second = 1234.4};
}

}  // namespace

TEST_CASE("progress tells all there is where there is room, and has a bar on terminals only") {
    const std::string all =
        "train, epoch 3/12, step 40/160, node 0, loss 2.2500, accuracy 0.1250, 1234 examples/s, 1:05 left";
    CHECK(progress_text(some_progress(), "1:05") == all);
    CHECK(progress_text(some_progress(), "1:05", 200) == "[######..................] " + all);
}

TEST_CASE("progress fits a terminal of any width, and keeps what tells most") {
    for (std::size_t width = 0; width < 140; ++width) {
        CAPTURE(width);
        const auto line = progress_text(some_progress(), "1:05", width);
        CHECK(line.size() <= (width > 0 ? width - 1 : 0));
        if (width > 12) CHECK_THAT(line, Contains("step 40/160"));
        if (width > 24) CHECK_THAT(line, Contains("epoch 3/12"));
    }
    CHECK(progress_text(some_progress(), "1:05", 80) ==
          "train, epoch 3/12, step 40/160, loss 2.2500, 1234 examples/s, 1:05 left");
}

TEST_CASE("a loss that grows without bound keeps its width") {
    auto progress = some_progress();
    progress.loss = 1440715572026674511872.0;
    CHECK_THAT(progress_text(progress), Contains("loss 1.441e+21,"));
}

TEST_CASE("what comes before training has a line of its own") {
    auto progress = some_progress();
    progress.phase = "read";
    CHECK(progress_text(progress, "", 80) == "reading data");
}
