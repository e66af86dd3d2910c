#include "earlier_run.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "report/example_run.hpp"

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
    run.status = RunStatus::interrupted;
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

TEST_CASE("the run without --out that ended early is found under any of its names") {
    const TemporaryFolder temporary;
    const auto results = temporary / "results";
    const auto found = [&] { return folder_to_resume(results, "a.b", "0123"); };
    const auto named = [&](const std::string& name) { return results / name; };
    CHECK(found() == named("a.b-0123"));
    fs::create_directory(results);
    // Names of other runs, and of what was set aside.
    for (const auto* name : {"a.b-0123-1", "a.b-0123-02", "a.b-0123-2x", "a.b-0123.before", "a.b-01234", "b"})
        killed(named(name));
    CHECK(found() == named("a.b-0123"));
    killed(named("a.b-0123-3"));
    CHECK(found() == named("a.b-0123-3"));
    const auto checkpoint =
        temporary.write("results/a.b-0123-12.checkpoints/step-0000000007.checkpoint", "x");
    CHECK_THROWS_WITH(found(), Contains("ended early: " + named("a.b-0123-3").string() + ", " +
                                        named("a.b-0123-12").string() + "; give one of them as --out"));
    {
        const PartialRun held(partial_beside(named("a.b-0123-3")));
        CHECK(found() == named("a.b-0123-12"));
        fs::remove(checkpoint);
        CHECK(found() == named("a.b-0123-3"));
    }
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
