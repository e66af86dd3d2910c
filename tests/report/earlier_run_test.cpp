#include "earlier_run.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"

using namespace convoy;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

/// OUT.partial of a process that was killed.
fs::path killed(const fs::path& run_folder) {
    const auto run = example_run();
    PartialRun partial(run_folder, run, 2, 2, PartialRun::Open::fresh);
    tell(partial, run);
    return partial.path();
}

WholeRun interrupted_run() {
    auto run = example_run();
    run.status = "interrupted";
    return run;
}

}  // namespace

TEST_CASE("a run folder that another process made or completed meanwhile is refused") {
    const TemporaryFolder temporary;
    Destination to{.folder = temporary / "run"};
    CHECK_NOTHROW(require_as_found(to));
    write_run_folder(temporary / "run", interrupted_run());
    CHECK_THROWS_WITH(require_as_found(to), Contains("was made by another process just now"));
    to.replaces = true;
    CHECK_NOTHROW(require_as_found(to));
    fs::remove_all(temporary / "run");
    write_run_folder(temporary / "run", example_run());
    CHECK_THROWS_WITH(require_as_found(to), Contains("was completed by another process"));
}

TEST_CASE("results are set aside under a name of their own, and nothing else is") {
    const TemporaryFolder temporary;
    const auto partial = temporary / "run.partial";
    CHECK_NOTHROW(set_aside(partial));
    for (const auto* name : {"run.before.partial", "run.before-2.partial"}) {
        set_aside(killed(temporary / "run"));
        CHECK_FALSE(fs::exists(partial));
        CHECK(is_partial_run(temporary / name));
    }
    {
        const PartialRun empty(temporary / "run", example_run(), 2, 2, PartialRun::Open::fresh);
        CHECK_THROWS_WITH(set_aside(partial), Contains("another convoy process"));
    }
    CHECK_FALSE(fs::exists(temporary / "run.before-3.partial"));
}

TEST_CASE("only an interrupted folder of the same run is an earlier part") {
    const TemporaryFolder temporary;
    const auto partial = killed(temporary / "run");
    CHECK_FALSE(is_earlier_part(temporary / "run", partial));
    write_run_folder(temporary / "same", interrupted_run());
    CHECK(is_earlier_part(temporary / "same", partial));
    write_run_folder(temporary / "done", example_run());
    CHECK_FALSE(is_earlier_part(temporary / "done", partial));
    auto other = interrupted_run();
    other.run_id = "ba9876543210";
    write_run_folder(temporary / "other", other);
    CHECK_FALSE(is_earlier_part(temporary / "other", partial));
}
