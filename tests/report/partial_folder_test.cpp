#include "report/partial_folder.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "without_flock.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

TEST_CASE("who only asks whether a run is held does not keep another process out") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    {
        PartialRun ended(temporary / "run", run, 2, 0, PartialRun::Open::fresh);
        tell(ended, run);
    }
    const auto partial = temporary / "run.partial";
    CHECK_FALSE(is_held(partial));
    std::atomic<bool> ask = true;
    std::thread asking([&] {
        while (ask) is_held(partial);
    });
    int refused = 0;
    for (int i = 0; i < 100; ++i) {
        try {
            const PartialFolder folder(partial);
        } catch (const UsageError&) {
            ++refused;
        }
    }
    ask = false;
    asking.join();
    CHECK(refused == 0);
}

TEST_CASE("a file system without locks is a warning, not another process") {
    const TemporaryFolder temporary;
    std::optional<std::string> warning;
    const bool filtered = without_flock([&] {
        const PartialRun partial(temporary / "run", example_run(), 2, 0, PartialRun::Open::fresh);
        warning = partial.lock_warning();
    });
    if (!filtered) {
        WARN("this system cannot refuse flock");
        return;
    }
    REQUIRE(warning);
    CHECK_THAT(*warning, Contains("run.partial: cannot be locked (Function not implemented)"));
    const PartialRun locked(temporary / "run", example_run(), 2, 0, PartialRun::Open::fresh);
    CHECK_FALSE(locked.lock_warning());
}
