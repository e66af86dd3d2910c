#include "report/partial_folder.hpp"

#include <sys/stat.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "support/no_descriptors.hpp"
#include "support/sanitized.hpp"
#include "support/without_call.hpp"

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
            const PartialFolder folder(partial, PartialFolder::Open::make);
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
    REQUIRE(without_locks(ENOLCK, [&] {
        const PartialRun partial(temporary / "run", example_run(), 2, 0, PartialRun::Open::fresh);
        warning = partial.lock_warning();
    }));
    REQUIRE(warning);
    CHECK_THAT(*warning, Contains("run.partial: cannot be locked (No locks available)"));
    const PartialRun locked(temporary / "run", example_run(), 2, 0, PartialRun::Open::fresh);
    CHECK_FALSE(locked.lock_warning());
}

// ubsan looks at the type of an exception through a pipe.
TEST_CASE("a folder that cannot be taken is refused with the true reason, and one that was made goes",
          test::left_out(test::is_sanitized)) {
    const TemporaryFolder temporary;
    const auto partial = temporary / "run.partial";
    std::string full;
    {
        const test::NoDescriptors none;
        full =
            error_line<OutputError>([&] { const PartialFolder folder(partial, PartialFolder::Open::make); });
    }
    CHECK(full == partial.string() + ": cannot be opened: Too many open files");
    CHECK(temporary.entries() == 0);
    CHECK_THROWS_AS(PartialFolder(partial, PartialFolder::Open::existing), MissingFileError);
    CHECK(temporary.entries() == 0);
    std::filesystem::create_directory_symlink(temporary.path(), partial);
    CHECK_THAT(
        error_line<UsageError>([&] { const PartialFolder folder(partial, PartialFolder::Open::make); }),
        Contains("exists already"));
}

TEST_CASE("a damaged marker is told by its file, and its folder is not taken for somebody else's") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    {
        PartialRun ended(temporary / "run", run, 2, 0, PartialRun::Open::fresh);
        tell(ended, run);
    }
    const auto marker = temporary / "run.partial" / "records" / "run.json";
    auto damaged = nlohmann::json::parse(read_text(marker));
    for (const std::int64_t ranks : {std::int64_t{0}, std::int64_t{1'000'000'000'000}}) {
        damaged["ranks"] = ranks;
        write_whole(marker, damaged.dump());
        CHECK_THAT(error_line<DataError>([&] { read_partial_header(temporary / "run.partial"); }),
                   Contains("run.partial/records/run.json: is no marker"));
    }
    write_whole(marker, std::string_view("{"));
    CHECK_THAT(error_line<DataError>(
                   [&] { const PartialRun next(temporary / "run", run, 2, 0, PartialRun::Open::fresh); }),
               Contains("run.partial/records/run.json: "));
    CHECK(JournalFolder(temporary / "run.partial" / "records").has_steps());
    for (const auto* named : {"run", "run.partial", "run.partial/"})
        CHECK(partial_meant(temporary / named) == temporary / "run.partial");
    CHECK(partial_meant(temporary / "none") == temporary / "none.partial");
    CHECK(partial_meant(temporary / "none.partial") == temporary / "none.partial");
}

TEST_CASE("a named pipe in the place of a file of a run holds nobody up") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    const auto partial = temporary / "run.partial";
    {
        PartialRun ended(temporary / "run", run, 2, 2, PartialRun::Open::fresh);
        tell(ended, run);
    }
    for (const auto* name :
         {"environment.json", "records/state", "records/run.json", "records/node-0.records"}) {
        CAPTURE(name);
        std::filesystem::rename(partial / name, temporary / "kept");
        REQUIRE(::mkfifo((partial / name).c_str(), 0600) == 0);
        CHECK_THROWS_AS(read_partial_run(partial), MissingFileError);
        std::filesystem::rename(temporary / "kept", partial / name);
    }
    CHECK(read_partial_run(partial).last_step == 2);
}

TEST_CASE("a file system that cannot rename as asked replaces no folder that somebody made") {
    const TemporaryFolder temporary;
    const auto run = example_run();
    const auto target = temporary / "run";
    PartialRun partial(target, run, 2, 2, PartialRun::Open::fresh);
    tell(partial, run);
    partial.finish(run);
    const auto publish = [&] {
        bool published = true;
        REQUIRE(without_call(SYS_renameat2, EINVAL, [&] { published = partial.publish(target); }));
        return published;
    };
    std::filesystem::create_directory(target);
    CHECK_FALSE(publish());
    CHECK(std::filesystem::is_empty(target));
    std::filesystem::remove(target);
    CHECK(publish());
    CHECK(read_run_folder(target).status == RunStatus::done);
    CHECK(names_in(temporary.path()) == std::set<std::string>{"run"});
}

TEST_CASE("a file system that cannot exchange folders replaces the earlier part of a run") {
    const TemporaryFolder temporary;
    auto run = example_run();
    run.status = RunStatus::interrupted;
    write_run_folder(temporary / "run", run);
    run.status = RunStatus::done;
    PartialRun partial(temporary / "run", run, 2, 2, PartialRun::Open::fresh);
    tell(partial, run);
    partial.finish(run);
    REQUIRE(without_call(SYS_renameat2, EINVAL, [&] { partial.replace(temporary / "run"); }));
    CHECK(read_run_folder(temporary / "run").status == RunStatus::done);
    CHECK(names_in(temporary.path()) == std::set<std::string>{"run"});
}
