// The memory of the launcher does not grow with a run.

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "small_experiment.hpp"
#include "support/sanitized.hpp"

using namespace convoy;
using namespace convoy::test;
using nlohmann::json;

namespace {

/// The most memory that a process had until now, in KB; 0 if it has ended.
long peak_of(pid_t pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string key; status >> key;) {
        long kilobytes = 0;
        if (key == "VmHWM:" && status >> kilobytes) return kilobytes;
    }
    return 0;
}

/// The peak of the launcher of a run with so many epochs of ten steps, all of which are traced.
long peak_with_epochs(const TemporaryFolder& folder, int epochs) {
    auto spec = small_spec();
    spec["model"]["layers"] = json::parse(R"([{"type": "flatten"}, {"type": "dense", "units": 10,
                                                                    "activation": "softmax"}])");
    spec["epochs"] = epochs;
    const auto name = std::to_string(epochs);
    ConvoyProcess run({"run", write_spec(folder, spec, name + ".json"), "--out", (folder / name).string()});
    long peak = 0;
    const bool stopped = run.wait_until([&] {
        peak = std::max(peak, peak_of(run.pid()));
        return false;
    });
    CHECK_FALSE(stopped);
    const auto ended = run.wait();
    INFO(ended.err);
    CHECK(ended.code == 0);
    return peak;
}

}  // namespace

// Sanitizers keep freed memory for a while.
TEST_CASE("the launcher's memory does not grow with the epochs", left_out(is_sanitized)) {
    const TemporaryFolder folder;
    // The first run nearly fills what is bounded: the slices of the trace, and the rows of tables in memory.
    const auto some = peak_with_epochs(folder, 300);
    const auto many = peak_with_epochs(folder, 1200);
    CAPTURE(some, many);
    CHECK(some > 0);
    CHECK(many * 100 < some * 120);
    CHECK(many < 150'000);
}
