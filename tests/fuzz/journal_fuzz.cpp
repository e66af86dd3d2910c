// The bytes of a journal of records, but for the checks of its frames, which are put right so that the parser
// sees what is behind them: what is read must be the same bits after it is written and read again.

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/cbor.hpp"
#include "base/error.hpp"
#include "base/sha256.hpp"
#include "measure/records_json.hpp"
#include "report/record_journal.hpp"

namespace {

namespace fs = std::filesystem;
namespace format = convoy::journal_format;

void require(bool holds) {
    if (!holds) std::abort();
}

/// A journal's file of this process.
fs::path file_named(const char* name) {
    return fs::temp_directory_path() / (std::string("journal_fuzz-") + std::to_string(::getpid()) + name);
}

void put_checks_right(std::string& journal) {
    constexpr std::size_t head_bytes = format::frame_header_bytes - format::check_bytes;
    auto at = format::header_bytes;
    while (at + format::frame_header_bytes <= journal.size()) {
        std::uint32_t length = 0;
        std::memcpy(&length, journal.data() + at, sizeof length);
        const auto content = at + format::frame_header_bytes;
        if (length > journal.size() - content) return;
        const auto check = convoy::sha256(journal.substr(at, head_bytes) + journal.substr(content, length));
        std::copy_n(check.begin(), format::check_bytes,
                    journal.begin() + static_cast<std::ptrdiff_t>(at + head_bytes));
        at = content + length;
    }
}

/// All records of these kinds. end: takes the bytes that were read.
convoy::NodeRecords all_of(const fs::path& file, std::uint32_t kinds, std::uint64_t* end = nullptr) {
    convoy::NodeRecords all;
    convoy::JournalReader reader(file);
    while (auto part = reader.next(kinds)) all.append(*std::move(part));
    require(reader.position() <= reader.size());
    if (end != nullptr) *end = reader.position();
    return all;
}

void read_journal(const fs::path& file, const fs::path& copy) {
    std::uint64_t end = 0;
    const auto all = all_of(file, ~std::uint32_t{0}, &end);
    require(convoy::whole_bytes(file) == end);
    require(convoy::whole_bytes(file, end) == end);
    all_of(file, static_cast<std::uint32_t>(convoy::RecordKind::steps));
    fs::remove(copy);
    convoy::append_to_journal(copy, all);
    const auto again = all_of(copy, ~std::uint32_t{0}, &end);
    require(end == fs::file_size(copy));
    require(convoy::encode_cbor(convoy::records_to_json(again)) ==
            convoy::encode_cbor(convoy::records_to_json(all)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto file = file_named("");
    static const auto copy = file_named("-copy");
    std::string journal(reinterpret_cast<const char*>(data), size);
    put_checks_right(journal);
    std::ofstream(file, std::ios::binary) << journal;
    try {
        read_journal(file, copy);
    } catch (const convoy::DataError&) {  // refused, as garbage should be
    }
    fs::remove(file);
    fs::remove(copy);
    return 0;
}
