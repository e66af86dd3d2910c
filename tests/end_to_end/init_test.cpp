#include <catch2/catch.hpp>

#include "data/npy_files.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("a new spec can be planned and trained at once, with drawn digits and with data of one's own") {
    const TemporaryFolder folder;
    std::string values;
    std::string classes;
    for (int i = 0; i < 40; ++i) {
        values += std::string(100, static_cast<char>(i * 6));
        classes += static_cast<char>(i % 4);
    }
    const auto x = folder.write("x.npy", npy_array("|u1", "40, 10, 10", values)).string();
    const auto y = folder.write("y.npy", npy_array("|u1", "40", classes)).string();
    const auto drawn = (folder / "drawn.json").string();
    const auto own = (folder / "own.json").string();
    CHECK(run_convoy({"init", drawn}).code == 0);
    const auto made = run_convoy({"init", own, "--images", x, "--labels", y});
    CHECK(made.code == 0);
    CHECK(made.out == "written to " + own + "; try: convoy plan " + own + "\n");
    CHECK(run_convoy({"init", own, "--images", x, "--labels", y}).code == 64);
    for (const auto& spec : {drawn, own}) {
        const auto planned = run_convoy({"plan", spec});
        INFO(planned.err);
        CHECK(planned.code == 0);
        CHECK_THAT(planned.out, Contains("2 nodes"));
        const auto run = run_convoy({"run", spec, "--out", spec + ".run", "--set", "max_steps=2"});
        INFO(run.err);
        CHECK(run.code == 0);
    }
    CHECK(json_of(own + ".run/spec.json").at("dataset").at("classes") == 4);
}
