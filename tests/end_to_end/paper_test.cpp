#include <stdlib.h>

#include <catch2/catch.hpp>
#include <chrono>

#include "base/run_program.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Runs a sweep of two settings, one run each, writes its paper, and returns the archive.
fs::path archive_in(const TemporaryFolder& folder) {
    const json sweep{{"name", "two"}, {"base", small_spec()}, {"grid", {{"batch_size", {24, 48}}}}};
    const auto out = (folder / "sweep").string();
    const auto run = run_convoy({"sweep", write_spec(folder, sweep, "sweep.json"), "--out", out});
    INFO(run.err);
    REQUIRE(run.code == 0);
    const auto paper = run_convoy({"paper", out, "--out", (folder / "paper").string()});
    INFO(paper.err);
    REQUIRE(paper.code == 0);
    CHECK_THAT(paper.out, Contains("figures/step_time.pdf\n") && Contains("methods.tex\n"));
    for (const auto& entry : fs::directory_iterator(folder / "paper"))
        if (entry.path().extension() == ".gz") return entry.path();
    FAIL("no archive");
    return {};
}

}  // namespace

TEST_CASE("an archive is reproduced with the same bits, and other weights are told apart", "[large]") {
    const TemporaryFolder folder;
    const auto archive = archive_in(folder);
    const auto again =
        run_convoy({"reproduce", archive.string(), "--out", (folder / "again").string(), "--json"});
    INFO(again.err);
    REQUIRE(again.code == 0);
    const auto result = json::parse(again.out);
    CHECK(result.at("same") == true);
    REQUIRE(result.at("rows").size() == 2);
    CHECK(result.at("rows")[0].at("batch_size") == "24");
    for (const auto& row : result.at("rows")) {
        CHECK(row.at("result") == "same bits");
        CHECK(row.at("differs") == "");
        CHECK(row.at("step_time_ratio").is_number());
    }
    // What was published is a sweep's folder too.
    CHECK(run_convoy({"compare", (folder / "again/published").string(), (folder / "again/sweep").string()})
              .code == 0);
    CHECK(run_convoy({"reproduce", archive.string(), "--out", (folder / "again").string()}).code == 64);
    const auto resumed =
        run_convoy({"reproduce", archive.string(), "--out", (folder / "again").string(), "--resume"});
    CHECK(resumed.code == 0);
    CHECK_THAT(resumed.out, Contains("same bits"));
    CHECK_THAT(resumed.err, !Contains("run 1 of 2"));

    const auto other = run_convoy(
        {"reproduce", archive.string(), "--out", (folder / "other").string(), "--set", "seed=9", "--json"});
    INFO(other.err);
    CHECK(other.code == 76);
    const auto found = json::parse(other.out);
    CHECK(found.at("same") == false);
    for (const auto& row : found.at("rows")) {
        CHECK(row.at("result") == "too few runs");
        CHECK(row.at("same_weights") == 0);
    }
}

TEST_CASE("the script of an unpacked archive reproduces it", "[large]") {
    const TemporaryFolder folder;
    const auto archive = archive_in(folder);
    const auto unpacked = (folder / "unpacked").string();
    fs::create_directory(unpacked);
    constexpr std::chrono::seconds deadline{300};
    REQUIRE(run_program({"tar", "-C", unpacked, "-xzf", archive.string()}, "", deadline).code == 0);
    ::setenv("CONVOY", CONVOY_PROGRAM, 1);
    const auto outcome =
        run_program({unpacked + "/reproduce.sh", "--out", (folder / "again").string()}, "", deadline);
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("same bits"));
}

TEST_CASE("what is no sweep has no paper, and what is no archive is not unpacked") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    CHECK(run_convoy({"paper", folder.path().string(), "--out", out}).code == 66);
    CHECK(run_convoy({"paper", folder.path().string()}).code == 64);
    CHECK(run_convoy({"reproduce", (folder / "none.tar.gz").string(), "--out", out}).code == 66);
    const auto refused = run_convoy({"reproduce", write_spec(folder, small_spec()), "--out", out});
    CHECK(refused.code == 65);
    CHECK_THAT(refused.err, Contains("spec.json"));
    CHECK_FALSE(fs::exists(out));
}
