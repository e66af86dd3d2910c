#include "base/files.hpp"

#include <sys/resource.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>

#include "base/error.hpp"
#include "base/error_line.hpp"
#include "base/temporary_folder.hpp"

using namespace convoy;

namespace {

/// While it lives no file of this process grows beyond so many bytes, as on a disk that is full, also for
/// root.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{bytes, before_.rlim_max};
        if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
            throw std::runtime_error("cannot limit the size of files");
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    FileSizeLimit(FileSizeLimit&&) = delete;
    FileSizeLimit& operator=(FileSizeLimit&&) = delete;
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    rlimit before_{};
    void (*handler_)(int) = nullptr;
};

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
        const FileSizeLimit limit(4096);
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
