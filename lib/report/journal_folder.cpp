#include "report/journal_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output_file.hpp"
#include "measure/operator_timer.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view journal_prefix = "node-";
constexpr std::string_view records_suffix = ".records";
constexpr std::string_view trace_suffix = ".trace";

/// The rank in the name of a journal; absent if the name is another's.
std::optional<std::int64_t> rank_in(const std::string& name, std::string_view suffix) {
    if (!name.starts_with(journal_prefix) || !name.ends_with(suffix)) return std::nullopt;
    const auto* begin = name.data() + journal_prefix.size();
    const auto* end = name.data() + name.size() - suffix.size();
    std::int64_t rank = 0;
    const auto [last, problem] = std::from_chars(begin, end, rank);
    if (problem != std::errc{} || last != end || rank < 0) return std::nullopt;
    return rank;
}

/// The journals of a folder, by rank. A folder that does not exist has none.
using Journals = std::map<std::int64_t, fs::path>;

/// The files of a folder that are journals with this suffix. problem: why not all of them could be found.
Journals journals_in(const fs::path& folder, std::string_view suffix, std::error_code& problem) {
    Journals files;
    for (const auto& file : paths_in(folder, problem))
        if (const auto rank = rank_in(file.filename().string(), suffix)) files[*rank] = file;
    if (problem == std::errc::no_such_file_or_directory) problem.clear();
    return files;
}

/// Throws MissingFileError if the folder cannot be read.
Journals journals_in(const fs::path& folder, std::string_view suffix) {
    std::error_code problem;
    auto files = journals_in(folder, suffix, problem);
    if (problem) throw MissingFileError(fmt::format("{}: {}", folder.string(), problem.message()));
    return files;
}

void remove_all_of(const fs::path& folder, std::string_view suffix) {
    std::error_code ignored;
    for (const auto& [rank, file] : journals_in(folder, suffix, ignored)) fs::remove(file, ignored);
}

/// Renames one after the other. Their new names are on disk when it returns.
void move_journals(const Journals& journals, const fs::path& folder) {
    std::error_code problem;
    fs::create_directories(folder, problem);
    for (const auto& [rank, file] : journals)
        if (!problem) fs::rename(file, folder / file.filename(), problem);
    if (problem)
        throw OutputError(fmt::format("{}: cannot be written: {}", folder.string(), problem.message()));
    sync_folder(folder);
}

}  // namespace

fs::path JournalFolder::records_of(std::int64_t rank) const {
    return path_ / fmt::format("{}{}{}", journal_prefix, rank, records_suffix);
}

fs::path JournalFolder::trace_of(std::int64_t rank) const {
    return path_ / fmt::format("{}{}{}", journal_prefix, rank, trace_suffix);
}

std::vector<std::int64_t> JournalFolder::ranks() const {
    std::vector<std::int64_t> all;
    for (const auto& [rank, file] : journals_in(path_, records_suffix)) all.push_back(rank);
    return all;
}

bool JournalFolder::empty() const {
    std::error_code problem;
    const auto none = [&](std::string_view suffix) {
        return journals_in(path_, suffix, problem).empty() && !problem;
    };
    return none(records_suffix) && none(trace_suffix);
}

void JournalFolder::append(std::int64_t rank, NodeRecords records) const {
    if (!records.trace.empty()) {
        NodeRecords trace;
        trace.trace = std::exchange(records.trace, {});
        append_to_journal(trace_of(rank), std::move(trace));
    }
    if (!records.empty()) append_to_journal(records_of(rank), std::move(records));
}

bool JournalFolder::has_steps() const {
    constexpr auto kinds =
        static_cast<std::uint32_t>(RecordKind::steps) + static_cast<std::uint32_t>(RecordKind::epochs);
    return std::ranges::any_of(ranks(), [this](std::int64_t rank) {
        return JournalReader(records_of(rank)).next(kinds).has_value();
    });
}

void JournalFolder::each(std::uint32_t kinds, const std::function<void(const NodeRecords&)>& take,
                         std::vector<std::string>* damage) const {
    for (const auto rank : ranks()) {
        JournalReader reader(records_of(rank));
        while (const auto part = reader.next(kinds)) take(*part);
        if (damage == nullptr || !reader.torn()) continue;
        damage->push_back(fmt::format(
            "the journal of node {} has no whole records from byte {} to its end, byte {}; tables "
            "lack what was there",
            rank, reader.position(), reader.size()));
    }
}

std::vector<TraceSlice> JournalFolder::slices_of(std::int64_t rank) const {
    std::vector<TraceSlice> slices;
    JournalReader reader(trace_of(rank));
    while (slices.size() < 2 * most_trace_slices) {
        auto part = reader.next(RecordKind::trace);
        if (!part) break;
        std::ranges::move(part->trace, std::back_inserter(slices));
    }
    return slices;
}

void JournalFolder::sync() const {
    for (const auto& [rank, file] : journals_in(path_, records_suffix))
        OutputFile(file, OutputFile::Open::append).sync();
    sync_folder(path_);
}

bool JournalFolder::cut(const std::vector<std::uint64_t>& marks) const {
    // All are read before one is changed: a journal that cannot be read costs the others nothing.
    std::vector<std::uint64_t> found;
    for (std::size_t rank = 0; rank < marks.size(); ++rank)
        found.push_back(whole_bytes(records_of(static_cast<std::int64_t>(rank)), marks[rank]));
    for (const auto& [rank, file] : journals_in(path_, records_suffix)) {
        std::error_code problem;
        if (rank >= std::ssize(marks)) {
            fs::remove(file, problem);
        } else {
            fs::resize_file(file, found.at(static_cast<std::size_t>(rank)), problem);
        }
        if (problem)
            throw OutputError(fmt::format("{}: cannot be cut: {}", file.string(), problem.message()));
    }
    remove_all_of(path_, trace_suffix);
    return found == marks;
}

void JournalFolder::move_to(const fs::path& folder) const {
    move_journals(journals_in(path_, records_suffix), folder);
    remove();
}

void JournalFolder::take_missing_from(const fs::path& folder) const {
    auto there = journals_in(folder, records_suffix);
    for (const auto& [rank, file] : journals_in(path_, records_suffix)) there.erase(rank);
    if (!there.empty()) move_journals(there, path_);
    JournalFolder(folder).remove();
}

void JournalFolder::remove() const {
    remove_all_of(path_, records_suffix);
    remove_all_of(path_, trace_suffix);
    std::error_code ignored;
    fs::remove(path_, ignored);  // not if something else is in it
}

void StepRows::advance() {
    row_ = next_;
    next_ = read();
    // A node that was lost behind a step that is taken again had told that step.
    while (row_ && next_ && next_->step <= row_->step) {
        row_ = next_;
        next_ = read();
    }
}

std::optional<StepRecord> StepRows::read() {
    while (at_ >= part_.size()) {
        auto part = reader_.next(RecordKind::steps);
        if (!part) return std::nullopt;
        part_ = std::move(part->steps);
        at_ = 0;
    }
    return part_[at_++];
}

}  // namespace convoy
