#include "base/output_file.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "base/error_line.hpp"
#include "base/files.hpp"
#include "base/temporary_folder.hpp"
#include "support/small_disk.hpp"

using namespace convoy;
using Catch::Matchers::Contains;
using enum OutputFile::Open;

namespace {

std::string refusal_of(const std::filesystem::path& file) {
    return error_line<OutputError>([&] { OutputFile(file, append); });
}

}  // namespace

TEST_CASE("pieces go behind the content, or a file begins anew") {
    const TemporaryFolder folder;
    const auto file = folder / "file";
    for (const auto open : {append, append, fresh, append}) {
        OutputFile out(file, open);
        out.write("ab");
        out.write("c");
        out.sync();
        CHECK(out.size() == std::filesystem::file_size(file));
    }
    CHECK(read_text(file) == "abcabc");
    { OutputFile(file, append).write("lost"); }
    CHECK(read_text(file) == "abcabc");
}

TEST_CASE("a piece that has no room is not there in part") {
    const TemporaryFolder folder;
    const auto file = folder / "file";
    OutputFile out(file, fresh);
    out.write("whole\n");
    out.flush();
    {
        const SmallDisk disk(1000);
        out.write(std::string(5000, 'x'));
        CHECK_THAT(error_line<OutputError>([&] { out.flush(); }),
                   Contains("file: cannot be written: File too large"));
    }
    CHECK(read_text(file) == "whole\n");
    out.write("more\n");
    out.flush();
    CHECK(read_text(file) == "whole\nmore\n");
    {
        const SmallDisk disk(1000);
        CHECK_THAT(error_line<OutputError>([&] { replace_file(file, std::string(5000, 'x')); }),
                   Contains("cannot be written"));
    }
    CHECK(read_text(file) == "whole\nmore\n");
    CHECK(folder.entries() == 1);
}

TEST_CASE("links, pipes and folders that somebody put in a file's place are not written to") {
    const TemporaryFolder folder;
    write_whole(folder / "victim", std::string_view("untouched"));
    std::filesystem::create_symlink(folder / "victim", folder / "link");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK_THAT(refusal_of(folder / "link"), Catch::EndsWith("Too many levels of symbolic links"));
    CHECK_THAT(refusal_of(folder / "pipe"), Contains("pipe: cannot be written: "));
    CHECK_THAT(refusal_of(folder.path()), Catch::EndsWith("Is a directory"));
    CHECK_THAT(refusal_of("/dev/null"), Catch::EndsWith("is not a regular file"));
    CHECK(read_text(folder / "victim") == "untouched");
}
