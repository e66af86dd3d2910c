#include "monitor/progress_file.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "base/files.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;

namespace {

NodeProgress at_step(std::int64_t rank, std::int64_t step) {
    NodeProgress progress;
    progress.rank = rank;
    progress.phase = phase::train;
    progress.epoch = 2;
    progress.epochs = 3;
    progress.step = step;
    progress.steps = 90;
    progress.loss = 0.5;
    progress.accuracy = 0.75;
    progress.examples_per_second = 1e3;
    return progress;
}

std::optional<RunProgress> read_text(const TemporaryFolder& folder, const std::string& text) {
    write_whole(folder / "progress.json", std::string_view(text));
    return read_progress_file(folder.path());
}

}  // namespace

TEST_CASE("progress.json holds the progress that is shown, and the place of each node") {
    const TemporaryFolder folder;
    const auto read =
        read_text(folder, progress_file_text(at_step(0, 7), {{0, at_step(0, 7)}, {5, at_step(5, 6)}}));
    REQUIRE(read);
    CHECK(read->shown.phase == "train");
    CHECK(read->shown.epochs == 3);
    CHECK(read->shown.steps == 90);
    CHECK(read->shown.loss == 0.5);
    CHECK(read->shown.accuracy == 0.75);
    CHECK(read->shown.examples_per_second == 1e3);
    REQUIRE(read->nodes.size() == 2);
    CHECK(read->nodes.at(5).rank == 5);
    CHECK(read->nodes.at(5).step == 6);
    CHECK(read->nodes.at(5).epoch == 2);
}

TEST_CASE("a loss that is no number is read as one that is no number") {
    const TemporaryFolder folder;
    auto diverged = at_step(0, 7);
    diverged.loss = std::numeric_limits<double>::infinity();
    const auto read = read_text(folder, progress_file_text(diverged, {}));
    REQUIRE(read);
    CHECK(std::isnan(read->shown.loss));
}

TEST_CASE("a progress.json that is in another form counts as none") {
    const TemporaryFolder folder;
    CHECK_FALSE(read_progress_file(folder.path()));
    const auto good = progress_file_text(at_step(0, 7), {{1, at_step(1, 6)}});
    CHECK(read_text(folder, good));
    CHECK_FALSE(read_text(folder, good.substr(0, good.size() / 2)));
    CHECK_FALSE(read_text(folder, "[]"));
    CHECK_FALSE(read_text(folder, "{}"));
    CHECK_FALSE(read_text(folder, R"({"phase": 3})"));
    CHECK_FALSE(read_text(folder, good + std::string(4096 * 256, ' ')));
    auto strange = good;
    strange.replace(strange.find("\"nodes\":["), 9, "\"nodes\":[7,");
    CHECK_FALSE(read_text(folder, strange));
    auto too_large = good;
    too_large.replace(too_large.find("\"step\":7"), 8, "\"step\":7e64");
    CHECK_FALSE(read_text(folder, too_large));
}

TEST_CASE("a rank that no run has is left out of the progress") {
    const TemporaryFolder folder;
    const auto read = read_text(
        folder, progress_file_text(at_step(0, 7),
                                   {{-1, at_step(-1, 1)}, {1, at_step(1, 6)}, {4096, at_step(4096, 1)}}));
    REQUIRE(read);
    CHECK(read->nodes.size() == 1);
}

TEST_CASE("the progress of the most nodes of a run can be read") {
    const TemporaryFolder folder;
    std::map<std::int64_t, NodeProgress> nodes;
    for (std::int64_t rank = 0; rank < 4096; ++rank) nodes[rank] = at_step(rank, std::int64_t{1} << 50U);
    const auto read = read_text(folder, progress_file_text(at_step(0, 7), nodes));
    REQUIRE(read);
    CHECK(read->nodes.size() == 4096);
}
