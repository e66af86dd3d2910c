#include "report/record_journal.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/sha256.hpp"
#include "base/temporary_folder.hpp"
#include "example_run.hpp"
#include "support/sanitized.hpp"

using namespace convoy;
namespace fs = std::filesystem;
using Catch::Matchers::Contains;

namespace {

NodeRecords all_of(const fs::path& journal, std::uint32_t kinds = ~std::uint32_t{0}) {
    NodeRecords all;
    JournalReader reader(journal);
    while (auto part = reader.next(kinds)) all.append(*std::move(part));
    return all;
}

void write_bytes(const fs::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("what a journal took is read back, part by part and kind by kind") {
    const TemporaryFolder temporary;
    const auto file = temporary / "journal";
    CHECK(all_of(file).empty());
    const auto records = example_run().records;
    append_to_journal(file, records);
    CHECK(all_of(file) == records);
    append_to_journal(file, records);
    CHECK(all_of(file).steps.size() == 2 * records.steps.size());
    const auto steps = all_of(file, static_cast<std::uint32_t>(RecordKind::steps));
    CHECK(steps.steps.size() == 2 * records.steps.size());
    CHECK(steps.operators.empty());
    CHECK(whole_bytes(file) == fs::file_size(file));
}

TEST_CASE("many rows are several frames, in order") {
    const TemporaryFolder temporary;
    NodeRecords records;
    for (std::int64_t step = 1; step <= 1300; ++step) records.steps.push_back({0, 1, step, 1.0 / 3.0});
    append_to_journal(temporary / "journal", records);
    CHECK(all_of(temporary / "journal") == records);
}

TEST_CASE("a journal that ends in a part of a frame has all whole frames before it") {
    const TemporaryFolder temporary;
    const auto file = temporary / "journal";
    const auto records = example_run().records;
    append_to_journal(file, records);
    const auto first = fs::file_size(file);
    append_to_journal(file, records);
    const auto bytes = read_text(file);
    for (std::size_t cut = first + 1; cut < bytes.size(); cut += 7) {
        write_bytes(file, bytes.substr(0, cut));
        JournalReader reader(file);
        NodeRecords all;
        while (auto part = reader.next(~std::uint32_t{0})) all.append(*std::move(part));
        CHECK(all.operators.size() >= records.operators.size());
        CHECK(reader.position() >= first);
        CHECK(reader.torn() == (reader.position() < cut));
        CHECK(reader.cut_off() == reader.torn());
        CHECK(whole_bytes(file, first) == first);
    }
}

TEST_CASE("a changed byte ends a journal there, and no other file is one") {
    const TemporaryFolder temporary;
    const auto file = temporary / "journal";
    const auto records = example_run().records;
    append_to_journal(file, records);
    const auto bytes = read_text(file);
    for (std::size_t at = journal_format::header_bytes; at < bytes.size(); at += 11) {
        auto changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ 0x10);
        write_bytes(file, changed);
        CHECK(all_of(file) != records);
        JournalReader reader(file);
        while (reader.next(~std::uint32_t{0})) {
        }
        CHECK(reader.torn());
        const auto in_frame = at - reader.position();  // a changed length may look like a cut
        if (at < reader.position() || in_frame >= sizeof(std::uint32_t)) CHECK_FALSE(reader.cut_off());
    }
    write_bytes(file, "node,epoch\n0,1\n");
    CHECK_THROWS_WITH(JournalReader(file), Contains("journal: is no journal of records"));
    write_bytes(file, "con");
    CHECK(all_of(file).empty());
}

TEST_CASE("what is no regular file is an error, and nobody waits for a writer") {
    const TemporaryFolder temporary;
    REQUIRE(::mkfifo((temporary / "pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(JournalReader(temporary / "pipe"), Contains("pipe: is not a regular file"));
    CHECK_THROWS_WITH(whole_bytes(temporary.path()), Contains("is a folder"));
}

// It takes half a gigabyte, of which sanitizers make several.
TEST_CASE("rows that no reader would take are refused, and the journal is as before",
          test::left_out(test::is_sanitized)) {
    const TemporaryFolder temporary;
    const auto file = temporary / "journal";
    auto records = example_run().records;
    append_to_journal(file, records);
    const auto before = read_text(file);
    records.operators.front().name.assign(std::size_t{65} << 20U, 'x');
    CHECK_THROWS_AS(append_to_journal(file, records), OutputError);
    CHECK(read_text(file) == before);
}

TEST_CASE("the bytes of a journal are those of its page") {
    const TemporaryFolder temporary;
    NodeRecords records;
    records.steps = {{1, 2, 3, 0.5, 4, 5, 6.0, 7.0, 8.0}};
    append_to_journal(temporary / "journal", records);
    const auto bytes = read_text(temporary / "journal");
    CHECK(bytes.substr(0, 12) == std::string("convoyRJ\x01\0\0\0", 12));
    const auto content = bytes.substr(28);
    CHECK(bytes.substr(12, 8) == std::string({static_cast<char>(content.size()), 0, 0, 0, 2, 0, 0, 0}));
    CHECK(bytes.substr(20, 8) == sha256(bytes.substr(12, 8) + content).substr(0, 8));
    CHECK_THAT(content, Contains("steps"));
}
