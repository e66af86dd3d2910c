#include "base/folder_lock.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "support/no_descriptors.hpp"
#include "support/sanitized.hpp"
#include "support/without_call.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

FolderLock lock(const fs::path& folder, SymbolicLinks links = SymbolicLinks::refused) {
    return {folder, links, "is another's", [] {}};
}

}  // namespace

TEST_CASE("a folder is held by one process until it lets go") {
    const TemporaryFolder folder;
    {
        const auto held = lock(folder.path());
        CHECK_FALSE(held.warning());
        CHECK(error_line<UsageError>([&] { lock(folder.path()); }) ==
              folder.path().string() + ": is another's");
    }
    CHECK_FALSE(lock(folder.path()).warning());
}

TEST_CASE("a file system without locks gives the folder and a line that says so") {
    const TemporaryFolder folder;
    std::vector<std::string> lines;
    for (const std::uint32_t reason : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
        REQUIRE(without_locks(reason, [&] { lines.push_back(lock(folder.path()).warning().value_or("")); }));
        CHECK_THAT(lines.back(), Contains(folder.path().string() + ": cannot be locked ("));
    }
    CHECK_THAT(lines.front(), Contains("(No locks available)"));
}

// ubsan looks at the type of an exception through a pipe.
TEST_CASE("a folder that cannot be opened is refused with the system's reason",
          test::left_out(test::is_sanitized)) {
    const TemporaryFolder folder;
    folder.write("file", "x");
    fs::create_directory_symlink(folder.path(), folder / "link");
    std::string full;
    {
        const test::NoDescriptors none;
        full = error_line<OutputError>([&] { lock(folder.path()); });
    }
    CHECK(full == folder.path().string() + ": cannot be opened: Too many open files");
    CHECK_THAT(error_line<UsageError>([&] { lock(folder / "file"); }), Contains("is no folder"));
    CHECK_THAT(error_line<UsageError>([&] { lock(folder / "link"); }), Contains("is no folder"));
    CHECK(lock(folder / "link", SymbolicLinks::followed).descriptor() >= 0);
}

TEST_CASE("a folder that was removed before it was opened is made again") {
    const TemporaryFolder folder;
    int made = 0;
    const FolderLock held(folder / "new", SymbolicLinks::refused, "is another's", [&] {
        if (++made == 2) fs::create_directory(folder / "new");
    });
    CHECK(made == 2);
    CHECK(held.descriptor() >= 0);
}

TEST_CASE("what is in a folder is listed, or the reason is given why not") {
    const TemporaryFolder folder;
    folder.write("file", "x");
    fs::create_symlink("nowhere", folder / "link");
    std::error_code problem;
    CHECK(paths_in(folder.path(), problem).size() == 2);
    CHECK_FALSE(problem);
    CHECK(paths_in(folder / "file", problem).empty());
    CHECK(problem == std::errc::not_a_directory);
    CHECK(is_present(folder / "link"));
    CHECK_FALSE(is_present(folder / "file" / "below"));
    CHECK(is_taken(folder / "link"));
    CHECK_FALSE(is_taken(folder / std::string(300, 'x')));
    CHECK_THAT(error_line<MissingFileError>([&] { is_present(folder / std::string(300, 'x')); }),
               Catch::EndsWith(": File name too long"));
}
