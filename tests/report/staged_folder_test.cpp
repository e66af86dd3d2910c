#include "report/staged_folder.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "base/temporary_folder.hpp"

using namespace convoy;
namespace fs = std::filesystem;

namespace {

long entries_in(const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

bool is_blocked(int signal) {
    sigset_t now;
    ::pthread_sigmask(SIG_BLOCK, nullptr, &now);
    return ::sigismember(&now, signal) == 1;
}

/// Leaves the folder that a killed process would leave, with a file of its run in a folder.
void leave_as_killed(const fs::path& folder) {
    const TemporaryFolder elsewhere;
    const StagedFolder staged(elsewhere.path() / "run");
    fs::copy(staged.path(), folder, fs::copy_options::recursive);
    fs::create_directories(folder / "deep");
    std::ofstream(folder / "deep" / "file") << "x";
}

}  // namespace

TEST_CASE("a staged folder appears under its name, or not at all") {
    const TemporaryFolder temporary;
    const auto target = temporary.path() / "run";
    {
        StagedFolder staged(target);
        std::ofstream(staged.path() / "file") << "x";
        CHECK_FALSE(fs::exists(target));
    }
    CHECK(entries_in(temporary.path()) == 0);
    {
        StagedFolder staged(target);
        std::ofstream(staged.path() / "file") << "x";
        CHECK(staged.publish());
    }
    CHECK(fs::exists(target / "file"));
    StagedFolder again(target);
    CHECK_FALSE(again.publish());
}

TEST_CASE("a staged folder takes the place of one that is there") {
    const TemporaryFolder temporary;
    const auto target = temporary.path() / "run";
    fs::create_directory(target);
    std::ofstream(target / "old") << "x";
    {
        StagedFolder staged(target);
        std::ofstream(staged.path() / "new") << "x";
        staged.replace();
        CHECK(fs::exists(target / "new"));
    }
    CHECK(entries_in(temporary.path()) == 1);
    CHECK(entries_in(target) == 1);
}

TEST_CASE("what a killed process left is removed, what another is writing is kept") {
    const TemporaryFolder temporary;
    leave_as_killed(temporary.path() / ".run.tmp-abandoned");
    leave_as_killed(temporary.path() / ".other.tmp-abandoned");
    const StagedFolder writing(temporary.path() / "run");
    CHECK_FALSE(fs::exists(temporary.path() / ".run.tmp-abandoned"));
    CHECK(fs::exists(temporary.path() / ".other.tmp-abandoned"));
    const StagedFolder another(temporary.path() / "run");
    CHECK(fs::exists(writing.path()));
    CHECK(fs::exists(another.path()));
}

TEST_CASE(
    "a user's folder with the name of a staged one stays, and so does one that only links to a marker") {
    const TemporaryFolder temporary;
    leave_as_killed(temporary.path() / "elsewhere");
    const auto users = temporary.path() / ".run.tmp-mine";
    const auto links = temporary.path() / ".run.tmp-links";
    const auto other_text = temporary.path() / ".run.tmp-other";
    for (const auto& folder : {users, links, other_text}) {
        fs::create_directories(folder);
        std::ofstream(folder / "thesis") << "x";
    }
    for (const auto& entry : fs::directory_iterator(temporary.path() / "elsewhere")) {
        if (!entry.is_regular_file()) continue;
        fs::create_symlink(entry.path(), links / entry.path().filename());
        std::ofstream(other_text / entry.path().filename()) << "not convoy's";
    }
    fs::create_directory_symlink(temporary.path() / "elsewhere", temporary.path() / ".run.tmp-link");
    { const StagedFolder writing(temporary.path() / "run"); }
    for (const auto& folder : {users, links, other_text}) CHECK(fs::exists(folder / "thesis"));
    CHECK(fs::exists(temporary.path() / "elsewhere" / "deep" / "file"));
}

TEST_CASE("nothing of the staging is left in a folder that was published") {
    const TemporaryFolder temporary;
    for (const bool replaces : {false, true}) {
        StagedFolder staged(temporary.path() / "run");
        std::ofstream(staged.path() / "file") << "x";
        if (replaces) {
            staged.replace();
        } else {
            CHECK(staged.publish());
        }
        CHECK(entries_in(temporary.path() / "run") == 1);
    }
    CHECK(entries_in(temporary.path()) == 1);
}

TEST_CASE("signals wait until a staged folder is done with") {
    const TemporaryFolder temporary;
    {
        const StagedFolder staged(temporary.path() / "run");
        CHECK(is_blocked(SIGINT));
        CHECK(is_blocked(SIGTERM));
    }
    CHECK_FALSE(is_blocked(SIGINT));
}
