#include <poll.h>
#include <signal.h>

#include <catch2/catch.hpp>

#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

TEST_CASE("a launcher that was stopped for longer than the deadline goes on with its nodes") {
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["deadline_s"] = is_sanitized ? 1.2 : 0.4;
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    REQUIRE(run.wait_for_error_text("epoch "));
    run.signal(SIGSTOP);
    ::poll(nullptr, 0, 1500);
    run.signal(SIGCONT);
    run.signal(SIGINT);
    const auto outcome = run.wait();
    INFO(outcome.err);
    CHECK(outcome.code == 130);
    CHECK_THAT(outcome.err, Contains("stops after step"));
}
