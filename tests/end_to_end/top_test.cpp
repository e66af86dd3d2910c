#include <signal.h>

#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

TEST_CASE("top shows the nodes of a run under way, and the one that is waited for") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    auto spec = long_spec();
    spec["measure"]["sample_interval_s"] = 0.05;
    spec["faults"] = json::array({{{"node", 1}, {"step", 2}, {"kind", "slow"}, {"factor", 30}}});
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out});
    REQUIRE(run.wait_for_error_text("epoch 1/"));
    json told;
    REQUIRE(run.wait_until([&] {
        const auto seen = run_convoy({"top", "--once", "--json", out});
        if (seen.code != 0) return false;
        told = json::parse(seen.out);
        const auto is_known = [&](std::size_t row, const char* key) {
            const auto& value = told.at("rows").at(row).at(key);
            return value.is_string() || (value.is_number() && value > 0);
        };
        return is_known(1, "waited_for") && is_known(0, "cpu_user_pct") && is_known(0, "sent_bytes_per_s") &&
               is_known(1, "received_bytes_per_s");
    }));
    CHECK(told.at("run") == "small");
    CHECK(told.at("progress").at("epochs") == 100000);
    CHECK(told.at("progress").at("steps") == 1000000);
    for (const auto& row : told.at("rows")) {
        CHECK(row.at("step") > 2);
        CHECK(row.at("loss") > 0);
        CHECK(row.at("examples_per_second") > 0);
        CHECK(row.at("resident_bytes") > 1000000);
        CHECK(row.at("sent_bytes_per_s") >= 0);
        CHECK(row.at("received_bytes_per_s") >= 0);
        const auto phase = row.at("phase").get<std::string>();
        CHECK((phase == "train" || phase == "evaluate"));
    }
    CHECK(told.at("rows")[0].at("waited_for").is_null());
    CHECK_THAT(told.at("rows")[1].at("waited_for").get<std::string>(), Contains("% longer"));
    CHECK(told.at("rows")[0].at("waits_pct") > told.at("rows")[1].at("waits_pct"));

    const auto text = run_convoy({"top", "--once", out + ".partial/"});
    CHECK(text.code == 0);
    CHECK_THAT(text.out,
               Contains("small: ") && Contains("/1000000, node 0, loss ") && Contains("waited for"));

    run.signal(SIGINT);
    run.wait();
    const auto after = run_convoy({"top", "--once", out});
    CHECK(after.code == 130);
    CHECK_THAT(after.out, Contains("out: interrupted"));
}

TEST_CASE("top follows a run to its end") {
    const TemporaryFolder folder;
    const auto out = (folder / "out").string();
    ConvoyProcess run({"run", write_spec(folder, long_spec()), "--out", out});
    REQUIRE(run.wait_for_error_text("epoch 1/"));
    ConvoyProcess top({"top", out}, {.terminal_width = 60});
    // It goes on: a second table cannot come from the first look.
    REQUIRE(run.wait_for_error_text("epoch 100/"));
    run.signal(SIGKILL);
    run.wait();
    const auto seen = top.wait();
    CHECK(seen.code == 74);
    CHECK_THAT(seen.out,
               Contains("\x1b[H") && Contains("a wider terminal shows") && Contains("convoy recover"));
}

TEST_CASE("top of what is no run under way") {
    const TemporaryFolder folder;
    CHECK(run_convoy({"top", (folder / "none").string()}).code == 66);
    CHECK(run_convoy({"top", "--json", (folder / "none").string()}).code == 64);
    const auto done = run_convoy({"top", run_spec(folder, small_spec(), "out").string()});
    CHECK(done.code == 0);
    CHECK_THAT(done.out, Contains("out: done"));
}
