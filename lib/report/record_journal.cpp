#include "report/record_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <system_error>

#include "base/cbor.hpp"
#include "base/error.hpp"
#include "base/open_to_read.hpp"
#include "base/output_file.hpp"
#include "base/sha256.hpp"
#include "measure/records_json.hpp"

static_assert(std::endian::native == std::endian::little, "integers are copied as they lie in memory");

namespace convoy {
namespace fs = std::filesystem;

namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view bytes_of(const std::uint32_t& number) {
    return text_of(std::as_bytes(std::span(&number, 1)));
}

/// head: length and kind, as they lie in the file.
std::string check_of(std::string_view head, std::string_view content) {
    return sha256(std::string(head) + std::string(content)).substr(0, journal_format::check_bytes);
}

bool is_kind(std::uint32_t kind) {
    return std::has_single_bit(kind) && kind <= static_cast<std::uint32_t>(RecordKind::updates);
}

/// Writes the rows of one kind; they are moved out.
template <typename Record>
void write_frames(OutputFile& file, RecordKind kind, std::vector<Record>& rows,
                  std::vector<Record> NodeRecords::*member) {
    for (std::size_t begin = 0; begin < rows.size(); begin += journal_format::rows_in_a_frame) {
        const auto end = std::min(rows.size(), begin + journal_format::rows_in_a_frame);
        const auto at = [&rows](std::size_t row) { return rows.begin() + static_cast<std::ptrdiff_t>(row); };
        NodeRecords part;
        (part.*member).assign(std::move_iterator(at(begin)), std::move_iterator(at(end)));
        const auto encoded = encode_cbor(records_to_json(part));
        const auto content = text_of(encoded);
        if (content.size() > journal_format::most_frame_bytes)  // a reader would end there
            throw OutputError(fmt::format("records of {} bytes; a journal takes at most {} at once",
                                          content.size(), journal_format::most_frame_bytes));
        const auto head = std::string(bytes_of(static_cast<std::uint32_t>(content.size()))) +
                          std::string(bytes_of(static_cast<std::uint32_t>(kind)));
        file.write(head);
        file.write(check_of(head, content));
        file.write(content);
    }
}

}  // namespace

void append_to_journal(const fs::path& file, NodeRecords records) {
    OutputFile journal(file, OutputFile::Open::append);
    const auto before = journal.size();
    try {
        if (before == 0) {
            journal.write(journal_format::magic);
            journal.write(bytes_of(journal_format::version));
        }
        write_frames(journal, RecordKind::operators, records.operators, &NodeRecords::operators);
        write_frames(journal, RecordKind::steps, records.steps, &NodeRecords::steps);
        write_frames(journal, RecordKind::epochs, records.epochs, &NodeRecords::epochs);
        write_frames(journal, RecordKind::system, records.system, &NodeRecords::system);
        write_frames(journal, RecordKind::trace, records.trace, &NodeRecords::trace);
        write_frames(journal, RecordKind::summaries, records.summaries, &NodeRecords::summaries);
        write_frames(journal, RecordKind::updates, records.updates, &NodeRecords::updates);
        journal.flush();
    } catch (const OutputError&) {
        std::error_code ignored;  // the frames behind a part of a frame could not be read
        fs::resize_file(file, before, ignored);
        throw;
    }
}

JournalReader::JournalReader(const fs::path& file, std::uint64_t limit) {
    std::error_code problem;
    if (!fs::exists(file, problem) && !problem) return;
    in_ = open_stream(file);
    in_->seekg(0, std::ios::end);
    size_ = std::min(static_cast<std::uint64_t>(std::max<std::streamoff>(in_->tellg(), 0)), limit);
    if (size_ < journal_format::header_bytes) {  // a process was killed when it had just made the file
        cut_off_ = size_ > 0;
        return;
    }
    std::array<char, journal_format::header_bytes> header{};
    in_->seekg(0);
    in_->read(header.data(), header.size());
    std::uint32_t found = 0;
    std::memcpy(&found, header.data() + journal_format::magic.size(), sizeof found);
    if (!*in_ || std::string_view(header.data(), journal_format::magic.size()) != journal_format::magic ||
        found != journal_format::version)
        throw DataError(fmt::format("{}: is no journal of records of version {}", file.string(),
                                    journal_format::version));
    position_ = journal_format::header_bytes;
}

struct JournalReader::Frame {
    std::array<char, journal_format::frame_header_bytes> header;
    std::uint32_t length, kind;
    std::uint64_t end;

    [[nodiscard]] std::string_view checked() const { return {header.data(), sizeof length + sizeof kind}; }
    [[nodiscard]] std::string_view check() const {
        return std::string_view(header.data(), header.size()).substr(checked().size());
    }
};

std::optional<JournalReader::Frame> JournalReader::head() {
    if (position_ + journal_format::frame_header_bytes > size_) {
        cut_off_ = position_ < size_;
        return std::nullopt;
    }
    Frame frame{};
    in_->seekg(static_cast<std::streamoff>(position_));
    in_->read(frame.header.data(), frame.header.size());
    std::memcpy(&frame.length, frame.header.data(), sizeof frame.length);
    std::memcpy(&frame.kind, frame.header.data() + sizeof frame.length, sizeof frame.kind);
    frame.end = position_ + journal_format::frame_header_bytes + frame.length;
    if (!*in_ || frame.length > journal_format::most_frame_bytes || !is_kind(frame.kind)) return std::nullopt;
    cut_off_ = frame.end > size_;
    return cut_off_ ? std::nullopt : std::optional(frame);
}

std::optional<NodeRecords> JournalReader::next(std::uint32_t kinds) {
    while (const auto frame = head()) {
        if ((frame->kind & kinds) == 0) {
            position_ = frame->end;
            continue;
        }
        std::string content(frame->length, '\0');
        in_->read(content.data(), static_cast<std::streamsize>(content.size()));
        if (!*in_ || check_of(frame->checked(), content) != frame->check()) return std::nullopt;
        try {
            auto records = records_from_json(decode_cbor(std::as_bytes(std::span(content)), "no CBOR"));
            position_ = frame->end;
            return records;
        } catch (const DataError&) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

std::uint64_t whole_bytes(const fs::path& journal, std::uint64_t limit) {
    JournalReader reader(journal, limit);
    while (reader.next(~std::uint32_t{0})) {
    }
    return reader.position();
}

}  // namespace convoy
