#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("a run is watched while it is under way, and its end is told") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", out});
    REQUIRE(run.wait_for_error_text("epoch 4/"));
    const auto seen = run_convoy({"watch", "--once", out});
    CHECK(seen.code == 0);
    CHECK_THAT(seen.out, Contains("epoch 3: train loss") && Contains("/100000, step "));
    const int how = GENERATE(SIGINT, SIGKILL);
    run.signal(how);
    run.wait();
    const auto after = run_convoy({"watch", out + ".partial/"});
    INFO(after.out);
    if (how == SIGINT) {
        CHECK(after.code == 130);
        CHECK_THAT(after.out, Contains("epoch 3: train loss") && Contains("out: interrupted"));
        const auto last = rows_of(folder / "out" / "epochs.csv").back().at("epoch").get<std::string>();
        CHECK_THAT(after.out, Contains("epoch " + last + ": train loss"));
    } else {
        CHECK(after.code == 74);
        CHECK_THAT(after.out, Contains("epoch 3: train loss") && Contains("convoy recover " + out));
    }
    CHECK(run_convoy({"watch", (folder / "none").string()}).code == 66);
}
