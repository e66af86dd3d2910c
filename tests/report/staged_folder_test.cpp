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
    fs::create_directories(temporary.path() / ".run.tmp-abandoned" / "deep");
    fs::create_directories(temporary.path() / ".other.tmp-abandoned");
    const StagedFolder writing(temporary.path() / "run");
    CHECK_FALSE(fs::exists(temporary.path() / ".run.tmp-abandoned"));
    CHECK(fs::exists(temporary.path() / ".other.tmp-abandoned"));
    const StagedFolder another(temporary.path() / "run");
    CHECK(fs::exists(writing.path()));
    CHECK(fs::exists(another.path()));
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
