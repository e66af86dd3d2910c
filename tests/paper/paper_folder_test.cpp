#include "paper/paper_folder.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "paper/archive.hpp"
#include "paper/settled_sweep.hpp"
#include "sweep/small_sweep.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
namespace fs = std::filesystem;

namespace {

/// Three of the four runs of a small sweep, done.
void write_sweep(const fs::path& path, const Sweep& sweep) {
    const SweepFolder folder(path, sweep, false);
    for (std::size_t i = 0; i < 3; ++i) {
        auto record = record_of(sweep.runs[i]);
        record.weights = {std::byte{static_cast<unsigned char>(i)}};
        record.environment = R"({"build": {"commit": "abc"}})";
        StepRecord step;
        step.epoch = step.step = 1;
        step.examples = 2;
        step.step_us = 1000.0;
        record.records.steps.push_back(step);
        write_run_folder(folder.run_folder(sweep.runs[i]), record);
    }
    folder.write_tables();
}

}  // namespace

TEST_CASE("a paper's folder has figures, tables, methods, and an archive that tells the same as the sweep") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    write_sweep(temporary / "sweep", sweep);
    const auto out = temporary / "paper";
    const auto written = write_paper(temporary / "sweep", out, Gnuplot());
    for (const auto& path : written) CHECK(is_file(path));
    CHECK_THAT(read_text(out / "figures/step_time.pdf"), StartsWith("%PDF"));
    CHECK_THAT(read_text(out / "tables/medians.tex"), Contains("\\begin{tabular}") && Contains("\\num{32}"));
    CHECK_THAT(read_text(out / "methods.md"), Contains("3 of 4 runs done, n = 1 to 2"));
    CHECK_THAT(read_text(out / "methods.tex"), Contains("batch\\_size"));
    const auto archive = out / ("small-" + sweep.id + ".tar.gz");
    const auto files = unpack_archive(read_bytes(archive), archive.string());
    const auto published = published_sweep(files, archive.string());
    const auto settled = settled_sweep(temporary / "sweep");
    REQUIRE(published.runs.size() == 3);
    CHECK(published.planned == 4);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(published.runs[i].settings == sweep.runs[i].settings);
        CHECK(published.runs[i].repeat == sweep.runs[i].repeat);
        CHECK(published.runs[i].weights_sha256 == settled.runs[i].weights_sha256);
        CHECK(published.runs[i].summary == settled.runs[i].summary);
        CHECK(published.runs[i].environment == settled.runs[i].environment);
    }
    CHECK(published.runs[0].weights_sha256 ==
          "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");  // of a byte 0
    CHECK(published.runs[1].weights_sha256 != published.runs[0].weights_sha256);
    CHECK(files.at("sweep.json") == read_text(temporary / "sweep" / sweep_file));
}

TEST_CASE("a paper's folder is new, and a sweep without a run has no paper") {
    const TemporaryFolder temporary;
    const auto sweep = small_sweep();
    write_sweep(temporary / "sweep", sweep);
    CHECK_THROWS_AS(write_paper(temporary / "sweep", temporary.path(), Gnuplot()), UsageError);
    CHECK_THROWS_AS(write_paper(temporary / "sweep", temporary / "paper", Gnuplot("no-such-gnuplot")),
                    MissingFileError);
    CHECK_FALSE(is_present(temporary / "paper"));
    const SweepFolder empty(temporary / "empty", sweep, false);
    empty.write_tables();
    CHECK_THROWS_AS(write_paper(temporary / "empty", temporary / "paper", Gnuplot()), DataError);
}
