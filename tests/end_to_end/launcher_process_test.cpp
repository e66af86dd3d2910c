#include <signal.h>

#include <catch2/catch.hpp>
#include <string>

#include "small_experiment.hpp"
#include "support/sanitized.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

// The sanitizer of threads has a thread of its own.
TEST_CASE("the launcher has one thread and no BLAS", left_out(is_sanitized)) {
    const TemporaryFolder folder;
    auto spec = long_spec();
    spec["kernels"] = {{"name", "xtensor"}};
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", (folder / "out").string()});
    REQUIRE(run.wait_for_error_text("epoch "));
    const auto process = "/proc/" + std::to_string(run.pid());
    CHECK_THAT(text_of(process + "/status"), Contains("Threads:\t1\n"));
    CHECK_THAT(text_of(process + "/maps"), !Contains("blas"));
    // Its nodes have it.
    CHECK_THAT(text_of("/proc/" + std::to_string(run.children().at(0)) + "/maps"), Contains("openblas"));
    run.signal(SIGINT);
    CHECK(run.wait().code == 130);
}

// Sanitizers reserve address space.
TEST_CASE("a run that has little address space ends", left_out(is_sanitized)) {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    for (const unsigned long long megabytes : {180, 250, 400}) {
        const auto outcome = run_convoy({"run", spec, "--out", (folder / "out").string()},
                                        {.most_address_bytes = megabytes << 20U});
        INFO(megabytes << " MB: " << outcome.code << ": " << outcome.err);
        CHECK((outcome.code == 0 || !outcome.err.empty()));
        std::filesystem::remove_all(folder / "out");
    }
}

// Sanitizers reserve address space.
TEST_CASE("nodes whose OpenBLAS gets no address space end with a line", left_out(is_sanitized)) {
    const TemporaryFolder folder;
    auto spec = small_spec();
    spec["kernels"] = {{"name", "xtensor"}};
    const auto file = write_spec(folder, spec);
    bool named = false;  // where less is left, something else may fail first
    for (const unsigned long long megabytes : {195, 200, 205, 210, 220}) {
        const auto outcome = run_convoy({"run", file, "--out", (folder / "out").string()},
                                        {.most_address_bytes = megabytes << 20U});
        INFO(megabytes << " MB: " << outcome.code << ": " << outcome.err);
        CHECK(outcome.code == 65);
        CHECK_THAT(outcome.err, Contains("ulimit"));
        named = named || outcome.err.find("OpenBLAS needs ") != std::string::npos;
        CHECK_FALSE(std::filesystem::exists(folder / "out.partial"));
    }
    CHECK(named);
}
