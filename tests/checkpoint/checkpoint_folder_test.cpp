#include "checkpoint/checkpoint_folder.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>
#include <set>

#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "checkpoint/example.hpp"
#include "support/no_descriptors.hpp"
#include "support/sanitized.hpp"
#include "support/without_call.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;
using enum CheckpointFolder::Open;

namespace {

const RunIdentity identity{.run_id = std::string(64, 'a'),
                           .training_id = std::string(64, 't'),
                           .distribution_id = std::string(64, 'd')};

RunCheckpoint at_step(std::int64_t step) {
    return example_checkpoint(step).checkpoint;
}

/// The step of the newest, -1 where there is none, and how many warnings there were.
std::pair<std::int64_t, int> newest(const fs::path& folder, const RunIdentity& of = identity) {
    int warnings = 0;
    const auto found = CheckpointFolder(folder, of, 2, resume).newest([&](const std::string& line) {
        CHECK_THAT(line, Contains("not a whole checkpoint"));
        ++warnings;
    });
    return {found ? found->checkpoint.step() : -1, warnings};
}

}  // namespace

TEST_CASE("checkpoints lie beside the run's folder") {
    CHECK(checkpoints_beside("results/a") == "results/a.checkpoints");
    CHECK(checkpoints_beside("results/a/") == "results/a.checkpoints");
}

TEST_CASE("the newest checkpoints are kept, and come back") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    {
        const CheckpointFolder folder(path, identity, 2, fresh);
        for (const auto step : {7, 14, 21}) folder.keep(at_step(step));
        CHECK(names_in(path) ==
              std::set<std::string>{"step-0000000014.checkpoint", "step-0000000021.checkpoint"});
        CHECK(folder.newest([](const auto&) {})->checkpoint == at_step(21));
        folder.clear();
    }
    CHECK_FALSE(fs::exists(path));
    CHECK(newest(path) == std::pair<std::int64_t, int>{-1, 0});
}

TEST_CASE(
    "from a newest checkpoint that is not whole the one before is taken, and the run goes on from there") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    {
        const CheckpointFolder folder(path, identity, 3, fresh);
        for (const auto step : {7, 14, 21}) folder.keep(at_step(step));
    }
    const auto file = path / "step-0000000021.checkpoint";
    const auto whole = read_bytes(file);
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
        fs::resize_file(file, length);
        CHECK(newest(path) == std::pair<std::int64_t, int>{14, 1});
        write_whole(file, whole);
    }
    CHECK(newest(path) == std::pair<std::int64_t, int>{21, 0});

    fs::resize_file(file, 5);
    fs::resize_file(path / "step-0000000014.checkpoint", 5);
    CHECK(newest(path) == std::pair<std::int64_t, int>{7, 2});
    CheckpointFolder(path, identity, 2, resume).keep(at_step(14));
    CHECK(names_in(path) ==
          std::set<std::string>{"step-0000000007.checkpoint", "step-0000000014.checkpoint"});
    CHECK(newest(path) == std::pair<std::int64_t, int>{14, 0});
}

TEST_CASE("what a process was writing when it was killed is removed") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    CheckpointFolder(path, identity, 2, fresh).keep(at_step(7));
    std::ofstream(path / "step-0000000014.checkpoint.tmp-0123456789abcdef") << "half";
    CHECK(newest(path) == std::pair<std::int64_t, int>{7, 0});
    CHECK(names_in(path) == std::set<std::string>{"step-0000000007.checkpoint"});
}

TEST_CASE("files of a user among the checkpoints stay") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    const std::set<std::string> own{"step-notes.checkpoint", "step-0000000014.checkpoint.tmp-mine",
                                    "step-0000000000.checkpoint.copy"};
    CheckpointFolder(path, identity, 1, fresh).keep(at_step(7));
    for (const auto& name : own) std::ofstream(path / name) << "mine";
    {
        const CheckpointFolder folder(path, identity, 1, resume);
        folder.keep(at_step(14));
        folder.clear();
    }
    CHECK(names_in(path) == own);
    remove_checkpoints(path);
    CHECK(names_in(path) == own);
}

TEST_CASE("a warning says whether there is a checkpoint before the damaged one") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    const CheckpointFolder folder(path, identity, 2, fresh);
    for (const auto step : {7, 14}) folder.keep(at_step(step));
    for (const auto* file : {"step-0000000007.checkpoint", "step-0000000014.checkpoint"})
        fs::resize_file(path / file, 5);
    std::vector<std::string> warnings;
    CHECK_FALSE(folder.newest([&](const std::string& line) { warnings.push_back(line); }));
    REQUIRE(warnings.size() == 2);
    CHECK_THAT(warnings[0], Contains("step-0000000014.checkpoint") && Contains("trying the one before"));
    CHECK_THAT(warnings[1], Contains("step-0000000007.checkpoint") && Contains("there is none before it"));
}

TEST_CASE("a checkpoint of the same training on other nodes is found") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    CheckpointFolder(path, identity, 2, fresh).keep(at_step(7));
    const RunIdentity other_nodes{.run_id = std::string(64, 'c'),
                                  .training_id = identity.training_id,
                                  .distribution_id = std::string(64, 'e')};
    CHECK(newest(path, other_nodes) == std::pair<std::int64_t, int>{7, 0});
}

TEST_CASE("checkpoints of another run, or that nobody asked to go on with, are refused") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    CheckpointFolder(path, identity, 2, fresh).keep(at_step(7));
    CHECK_THAT(error_line<DataError>([&] {
                   newest(path, {std::string(64, 'c'), std::string(64, 'e'), std::string(64, 'f')});
               }),
               Contains("is of run aaaaaaaaaaaa, and this spec is run cccccccccccc"));
    CHECK_THAT(error_line<UsageError>([&] { const CheckpointFolder again(path, identity, 2, fresh); }),
               Contains("give --resume to go on with it"));
    CHECK(newest(path).first == 7);
}

TEST_CASE("one process at a time is at the checkpoints of a run") {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    const CheckpointFolder folder(path, identity, 2, fresh);
    CHECK_THAT(error_line<UsageError>([&] { const CheckpointFolder second(path, identity, 2, resume); }),
               Contains("another convoy process has this run"));
}

// ubsan looks at the type of an exception through a pipe.
TEST_CASE("checkpoints are kept on a file system without locks, and a folder that cannot be opened is told",
          test::left_out(test::is_sanitized)) {
    const TemporaryFolder place;
    const auto path = place / "run.checkpoints";
    REQUIRE(without_locks(ENOLCK, [&] { CheckpointFolder(path, identity, 2, fresh).keep(at_step(7)); }));
    std::string full;
    {
        const NoDescriptors none;
        full = error_line<OutputError>([&] { const CheckpointFolder folder(path, identity, 2, resume); });
    }
    CHECK(full == path.string() + ": cannot be opened: Too many open files");
    CHECK(newest(path).first == 7);
}
