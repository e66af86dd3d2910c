#include "paper/archive.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "paper/archive_format.hpp"
#include "settled_examples.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
    return std::as_bytes(std::span(text));
}

ArchiveFiles unpacked(const std::string& packed) {
    return unpack_archive(bytes_of(packed), "x.tar.gz");
}

/// A member as anybody may put it into an archive.
struct Member {
    std::string path;
    std::string content;
    decltype(AE_IFREG) type = AE_IFREG;
    std::string link = {};
};

std::string foreign(const std::vector<Member>& members) {
    std::vector<char> room(std::size_t{1} << 20U);
    std::size_t used = 0;
    auto* packer = archive_write_new();
    archive_write_add_filter_gzip(packer);
    archive_write_set_format_pax_restricted(packer);
    REQUIRE(archive_write_open_memory(packer, room.data(), room.size(), &used) == ARCHIVE_OK);
    for (const auto& member : members) {
        auto* entry = archive_entry_new();
        archive_entry_set_pathname(entry, member.path.c_str());
        archive_entry_set_filetype(entry, member.type);
        archive_entry_set_perm(entry, 0644);
        if (member.type == AE_IFLNK) archive_entry_set_symlink(entry, member.link.c_str());
        if (member.type == AE_IFREG && !member.link.empty())
            archive_entry_set_hardlink(entry, member.link.c_str());
        archive_entry_set_size(entry, static_cast<la_int64_t>(member.content.size()));
        REQUIRE(archive_write_header(packer, entry) == ARCHIVE_OK);
        archive_write_data(packer, member.content.data(), member.content.size());
        archive_entry_free(entry);
    }
    archive_write_close(packer);
    archive_write_free(packer);
    return {room.data(), used};
}

}  // namespace

TEST_CASE("an archive gives its files back, and the same files give the same bytes") {
    const auto files = files_of(settled_sweep_of(2, "w"));
    const auto packed = pack_archive(files);
    CHECK(unpacked(packed) == files);
    CHECK(pack_archive(files) == packed);
    const auto sweep = published_sweep(unpacked(packed), "x.tar.gz");
    CHECK(sweep.name == "small");
    CHECK(sweep.fields == std::vector<std::string>{"batch_size"});
    REQUIRE(sweep.runs.size() == 4);
    CHECK(sweep.runs[3].settings == std::vector<std::string>{"64"});
    CHECK(sweep.runs[3].repeat == 1);
    CHECK(sweep.runs[3].weights_sha256 == "w");
    CHECK(sweep.runs[3].summary == settled_sweep_of(2, "w").runs[3].summary);
}

TEST_CASE("an archive is gzip and tar, which other programs read") {
    const auto packed = pack_archive({{"sweep.json", "{}"}});
    CHECK(packed.substr(0, 2) == "\x1f\x8b");
    CHECK(packed.substr(4, 4) == std::string(4, '\0'));  // gzip's time
    CHECK(unpacked(foreign({{"sweep.json", "{}"}})) == ArchiveFiles{{"sweep.json", "{}"}});
}

TEST_CASE("no path of an archive leaves its folder, and all are known") {
    for (const auto* path : {"archive.json", "sweep.json", "runs.csv", "reproduce.sh", "runs/a-1/spec.json",
                             "runs/a-1/summary.json", "runs/a.b_c-1/environment.json"})
        CHECK(is_archive_path(path));
    for (const auto* path : {"",
                             "/",
                             ".",
                             "..",
                             "../sweep.json",
                             "/sweep.json",
                             "./sweep.json",
                             "sweep.json/",
                             "runs",
                             "runs/",
                             "runs/a-1",
                             "runs/a-1/",
                             "runs/../summary.json",
                             "runs/./summary.json",
                             "runs//summary.json",
                             "runs/.a/summary.json",
                             "runs/-a/summary.json",
                             "runs/a-1/../sweep.json",
                             "runs/a-1/x/spec.json",
                             "runs/a-1/weights.safetensors",
                             "runs/a\n/spec.json",
                             "runsx/a-1/spec.json",
                             "report.html"}) {
        CAPTURE(path);
        CHECK_FALSE(is_archive_path(path));
        if (*path != '\0' && path[std::string(path).size() - 1] != '/')
            CHECK_THROWS_AS(unpacked(foreign({{path, "x"}})), DataError);
    }
    CHECK_FALSE(is_archive_path("runs/" + std::string(201, 'a') + "/spec.json"));
    CHECK_THROWS_AS(pack_archive({{"../x", ""}}), InternalError);
}

TEST_CASE("an archive holds regular files only, each once") {
    CHECK_THROWS_WITH(unpacked(foreign({{"sweep.json", "", AE_IFLNK, "/etc/passwd"}})),
                      "x.tar.gz: \"sweep.json\" is no regular file");
    CHECK_THROWS_WITH(unpacked(foreign({{"runs.csv", "x"}, {"sweep.json", "", AE_IFREG, "runs.csv"}})),
                      "x.tar.gz: \"sweep.json\" is no regular file");
    CHECK_THROWS_AS(unpacked(foreign({{"runs", "", AE_IFDIR}})), DataError);
    CHECK_THROWS_AS(unpacked(foreign({{"sweep.json", "", AE_IFIFO}})), DataError);
    CHECK_THROWS_WITH(unpacked(foreign({{"sweep.json", "a"}, {"sweep.json", "b"}})),
                      "x.tar.gz: \"sweep.json\" is in it twice");
}

TEST_CASE("a file that grows when it is unpacked is bounded") {
    const ArchiveFiles large{{"runs.csv", std::string(most_archived_file_bytes, 'x')}};
    CHECK(unpacked(pack_archive(large)).at("runs.csv").size() == most_archived_file_bytes);
    CHECK_THROWS_AS(pack_archive({{"runs.csv", std::string(most_archived_file_bytes + 1, 'x')}}), UsageError);
    const auto bomb = foreign({{"runs.csv", std::string(most_archived_file_bytes + 1, 'x')}});
    CHECK(bomb.size() < 100'000);
    CHECK_THROWS_WITH(unpacked(bomb), Contains("x.tar.gz:runs.csv: more than 16777216 bytes"));
}

TEST_CASE("whatever happens to an archive, it is read or refused in words") {
    const auto packed = pack_archive(files_of(settled_sweep_of(1, "w")));
    CHECK_THROWS_AS(unpacked(""), DataError);
    CHECK_THROWS_AS(unpacked("no archive at all"), DataError);
    for (const auto length : {packed.size() / 4, packed.size() / 2})
        CHECK_THROWS_AS(unpacked(packed.substr(0, length)), DataError);
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same damage in every run
    for (int i = 0; i < 300; ++i) {
        auto damaged = packed;
        damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8U);
        try {
            published_sweep(unpacked(damaged), "x.tar.gz");
        } catch (const DataError& error) {
            CHECK_THAT(error.what(), Catch::StartsWith("x.tar.gz"));
        }
    }
}

TEST_CASE("an archive whose index is wrong is refused, and the file is named") {
    const auto with = [](const std::function<void(nlohmann::json&)>& change) {
        auto files = files_of(settled_sweep_of(1, "w"));
        auto index = nlohmann::json::parse(files.at("archive.json"));
        change(index);
        files["archive.json"] = index.dump();
        return published_sweep(files, "x");
    };
    CHECK(with([](auto&) {}).runs.size() == 2);
    CHECK_THROWS_WITH(with([](auto& index) { index["version"] = 2; }),
                      "x:archive.json: is of version 2; this convoy reads version 1");
    CHECK_THROWS_AS(with([](auto& index) { index["format"] = "other"; }), DataError);
    for (const auto* key : {"name", "id"})
        CHECK_THROWS_AS(with([&](auto& index) { index[key] = "x/../../y"; }), DataError);
    CHECK_THROWS_AS(with([](auto& index) { index["runs"] = nlohmann::json::array(); }), DataError);
    CHECK_THROWS_AS(with([](auto& index) { index["runs"] = "x"; }), DataError);
    CHECK_THROWS_AS(with([](auto& index) { index["runs"][0] = 1; }), DataError);
    CHECK_THROWS_AS(with([](auto& index) { index["runs"][0]["settings"] = {"1", "2"}; }), DataError);
    CHECK_THROWS_AS(with([](auto& index) { index["runs"][0]["repeat"] = -1; }), DataError);
    CHECK_THROWS_WITH(with([](auto& index) { index["runs"][0]["folder"] = "../x"; }),
                      "x: has no runs/../x/summary.json");
    auto files = files_of(settled_sweep_of(1, "w"));
    files.erase("sweep.json");
    CHECK_THROWS_WITH(published_sweep(files, "x"), "x: has no sweep.json");
}
