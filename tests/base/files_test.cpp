#include "base/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "base/error_line.hpp"
#include "base/temporary_folder.hpp"
#include "support/small_disk.hpp"

using namespace convoy;

namespace {

std::string write_refusal(const std::filesystem::path& file, const std::string& content) {
    return error_line<OutputError>([&] { write_whole(file, std::string_view(content)); });
}

}  // namespace

TEST_CASE("a file that is written whole is read back whole") {
    const TemporaryFolder folder;
    const std::string content("a\0b\r\n\xff", 6);
    write_whole(folder / "file", std::string_view(content));
    CHECK(read_text(folder / "file") == content);
    const std::array<std::byte, 3> bytes{std::byte{0}, std::byte{255}, std::byte{1}};
    write_whole(folder / "file", std::span<const std::byte>(bytes));
    CHECK(read_bytes(folder / "file") == std::vector<std::byte>(bytes.begin(), bytes.end()));
    write_whole(folder / "file", std::string_view());
    CHECK(read_text(folder / "file").empty());
    CHECK(folder.entries() == 1);
}

TEST_CASE("a write that fails half way keeps the old file and leaves no temporary one") {
    const TemporaryFolder folder;
    write_whole(folder / "file", std::string_view("old"));
    {
        const SmallDisk disk(4096);
        CHECK_THAT(write_refusal(folder / "file", std::string(100000, 'x')),
                   Catch::StartsWith((folder / "file").string() + ": cannot be written: "));
        CHECK_FALSE(write_refusal(folder / "new", std::string(100000, 'x')).empty());
    }
    CHECK(read_text(folder / "file") == "old");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a target that cannot be is refused with the system's reason, and nothing is left") {
    const TemporaryFolder folder;
    write_whole(folder / "file", std::string_view("old"));
    std::filesystem::create_directory(folder / "taken");
    CHECK_THAT(write_refusal(folder / "none" / "file", "x"), Catch::EndsWith("No such file or directory"));
    CHECK_THAT(write_refusal(folder / "file" / "below", "x"), Catch::EndsWith("Not a directory"));
    CHECK_THAT(write_refusal(folder / "taken", "x"), Catch::EndsWith("Is a directory"));
    CHECK(folder.entries() == 2);
}

TEST_CASE("what cannot be read is refused by name") {
    const TemporaryFolder folder;
    write_whole(folder / "file", std::string_view("12345"));
    CHECK(error_line<MissingFileError>([&] { read_text(folder / "none"); }) ==
          (folder / "none").string() + ": No such file or directory");
    CHECK(error_line<MissingFileError>([&] { read_bytes(folder.path()); }) ==
          folder.path().string() + ": is a folder, not a file");
    CHECK(error_line<DataError>([&] { read_text(folder / "file", 4); }) ==
          (folder / "file").string() + ": 5 bytes, at most 4 are accepted");
    CHECK(read_text(folder / "file", 5) == "12345");
}

TEST_CASE("links that somebody planted under a temporary name are not followed") {
    const TemporaryFolder folder;
    write_whole(folder / "victim", std::string_view("untouched"));
    const auto planted = "file.tmp-" + std::to_string(::getpid());
    std::filesystem::create_symlink(folder / "victim", folder / planted);
    write_whole(folder / "file", std::string_view("content"));
    CHECK(read_text(folder / "victim") == "untouched");
    CHECK(read_text(folder / "file") == "content");
    CHECK_FALSE(std::filesystem::is_symlink(folder / "file"));
    CHECK(std::filesystem::is_symlink(folder / planted));
}

TEST_CASE("temporary names are told from the names of a user's files") {
    CHECK(target_of_temporary("a.csv.tmp-0123456789abcdef") == "a.csv");
    CHECK_FALSE(target_of_temporary("a.csv.tmp-0123456789abcde"));
    CHECK_FALSE(target_of_temporary("a.csv.tmp-0123456789abcdeX"));
    CHECK_FALSE(target_of_temporary("a.csv.tmp-mine"));
    CHECK_FALSE(target_of_temporary(".tmp-0123456789abcdef"));
    CHECK_FALSE(target_of_temporary(""));
}

TEST_CASE("a pipe is read to its end, up to the limit") {
    const TemporaryFolder folder;
    const auto pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const std::string content(200'000, 'x');
    const auto from_pipe = [&](std::size_t limit) {
        std::thread writer([&] {
            std::ofstream out(pipe);
            const auto handler = std::signal(SIGPIPE, SIG_IGN);
            out << content;
            out.close();
            std::signal(SIGPIPE, handler);
        });
        struct Join {
            std::thread& thread;
            ~Join() { thread.join(); }
        } const join{writer};
        return read_text(pipe, limit);
    };
    CHECK(from_pipe(content.size()) == content);
    CHECK_THAT(error_line<DataError>([&] { from_pipe(content.size() - 1); }),
               Catch::Contains("at most 199999 bytes are accepted"));
    CHECK_THAT(error_line<DataError>([&] { read_text("/dev/zero", 1000); }),
               Catch::Contains("at most 1000 bytes are accepted"));
    CHECK(read_text("/dev/null").empty());
}
