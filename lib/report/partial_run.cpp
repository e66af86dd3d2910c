#include "report/partial_run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/output_file.hpp"
#include "report/record_journal.hpp"
#include "report/records_csv.hpp"
#include "report/results_builder.hpp"
#include "report/run_files.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {
namespace fs = std::filesystem;

namespace {

/// Writes over the content of a file; the room that it has on disk is used first. False with errno.
bool write_over(int file, std::span<const std::byte> bytes) {
    auto left = bytes;
    while (!left.empty()) {
        const auto at = static_cast<off_t>(bytes.size() - left.size());
        const auto written = ::pwrite(file, left.data(), left.size(), at);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        left = left.subspan(static_cast<std::size_t>(written));
    }
    return ::ftruncate(file, static_cast<off_t>(bytes.size())) == 0 && ::fsync(file) == 0;
}

/// The line for a user who finds results of an earlier run.
std::string refusal_of(const fs::path& partial) {
    const auto name = partial.string();
    return fmt::format(
        "{0}: holds what an ended run of this --out had trained; `convoy recover {0}` makes a run folder of "
        "it, `convoy run SPEC --out {1} --resume` goes on from its checkpoint, or, without one, keeps it "
        "aside and begins; or choose another --out",
        name, name.substr(0, name.rfind(".partial")));
}

/// Gives the rows of a node the rank that it had at the beginning, see PartialRun::go_on_apart.
void renumber(NodeRecords& records, const std::function<std::int64_t(std::int64_t)>& place_of) {
    const auto each = [&](auto& rows) {
        for (auto& row : rows) row.node = place_of(row.node);
    };
    each(records.operators);
    each(records.steps);
    each(records.epochs);
    each(records.system);
    each(records.trace);
    each(records.summaries);
    each(records.updates);
    for (auto& row : records.updates) row.worker = place_of(row.worker);
}

/// The last step in a journal.
std::int64_t last_step_in(const fs::path& journal) {
    std::int64_t last = 0;
    JournalReader reader(journal);
    while (const auto part = reader.next(RecordKind::steps))
        if (!part->steps.empty()) last = std::max(last, part->steps.back().step);
    return last;
}

}  // namespace

PartialRun::PartialRun(const fs::path& run_folder, const RunRecord& run, std::int64_t ranks,
                       std::uint64_t weights_bytes, Open open, const PartialMarks* resume,
                       const std::function<void()>& once_held)
    : folder_(partial_beside(run_folder), PartialFolder::Open::make), ranks_(ranks) {
    const bool goes_on = open == Open::resume && resume != nullptr;
    try {
        if (once_held) once_held();
        prepare(open, goes_on);
        const bool is_new = !is_partial_run(path());
        if (is_new) write_partial_header(path(), run, ranks);
        // A run that goes on gives nothing up before it has its room.
        reserve_weights(weights_bytes);
        if (!is_new) {
            put_weights_aside();
            write_partial_header(path(), run, ranks);
        }
        if (goes_on) take_journals(*resume);
        begin_tables();
    } catch (...) {
        if (!folder_.has_results()) folder_.remove();
        throw;
    }
}

PartialRun::PartialRun(const fs::path& partial)
    : folder_(partial, PartialFolder::Open::existing), ranks_(read_partial_header(partial).ranks) {}

PartialRun::~PartialRun() {
    if (!published_ && !folder_.has_results()) folder_.remove();
}

void PartialRun::prepare(Open open, bool goes_on) const {
    const bool replaced =
        is_partial_run(path()) && read_partial_header(path()).state == PartialState::replaced;
    if (goes_on && !replaced) return;
    if (open == Open::fresh && !replaced && folder_.has_results()) throw UsageError(refusal_of(path()));
    folder_.clear();
}

void PartialRun::put_weights_aside() const {
    const auto weights = path() / weights_file;
    if (!is_present(weights)) return;
    std::error_code problem;
    fs::rename(weights, path() / partial_weights_before, problem);
    if (problem) cannot_write(weights, problem.message());
}

void PartialRun::go_back(const RunRecord& run, std::uint64_t weights_bytes, const PartialMarks& marks) {
    reserve_weights(weights_bytes);
    put_weights_aside();
    write_partial_header(path(), run, ranks_);
    take_journals(marks);
    epochs_.clear();
    begin_tables();
}

void PartialRun::take_journals(const PartialMarks& resume) {
    const auto journals = folder_.journals();
    if (!resume.journals.empty()) journals.take_missing_from(resume.journals);
    lost_records_ = !journals.cut(resume.marks);
    for (const auto& [rank, records] : resume.more) journals.append(rank, records);
}

void PartialRun::reserve_weights(std::uint64_t bytes) const {
    const auto file = path() / partial_records / partial_weights_room;
    const auto opened = open_to_write(file);
    int reason = bytes == 0 ? 0 : EINTR;
    while (reason == EINTR) reason = ::posix_fallocate(opened.get(), 0, static_cast<off_t>(bytes));
    if (reason == 0) return;
    throw OutputError(fmt::format("{}: cannot be written: no room for the {} bytes of the weights: {}",
                                  path().string(), bytes, std::strerror(reason)));
}

void PartialRun::begin_tables() {
    OutputFile steps(path() / steps_file, OutputFile::Open::fresh);
    OutputFile epochs(path() / epochs_file, OutputFile::Open::fresh);
    steps.write(CsvWriter(steps_columns).content());
    epochs.write(CsvWriter(epochs_columns).content());
    // Of a run that is continued: perhaps of other ranks, whose records of the epoch under way are there too.
    constexpr auto kinds =
        static_cast<std::uint32_t>(RecordKind::steps) + static_cast<std::uint32_t>(RecordKind::epochs);
    ResultsBuilder builder(RunResults{});
    std::int64_t last_epoch = 0;
    folder_.journals().each(kinds, [&](const NodeRecords& part) {
        CsvWriter rows;
        for (const auto& row : part.steps) add_row(rows, row, std::nullopt);
        steps.write(rows.take());
        for (const auto& row : part.epochs) {
            builder.add(row);
            if (row.node == 0) last_epoch = row.epoch;
            if (row.epoch > last_epoch) epochs_[row.epoch].push_back(row);
        }
    });
    CsvWriter rows;
    for (const auto& row : builder.finish().epochs)
        if (row.epoch <= last_epoch) add_row(rows, row);
    epochs.write(rows.take());
    steps.flush();
    epochs.flush();
}

void PartialRun::add_to_tables(const NodeRecords& records) {
    if (!records.steps.empty()) {
        CsvWriter csv;
        for (const auto& row : records.steps) add_row(csv, row, std::nullopt);
        OutputFile file(path() / steps_file, OutputFile::Open::append);
        file.write(csv.take());
        file.flush();
    }
    for (const auto& row : records.epochs) {
        auto& told = epochs_[row.epoch];
        told.push_back(row);
        if (has_all(told)) add_epoch(row.epoch);
    }
}

bool PartialRun::has_all(std::span<const NodeEpochRecord> told) const {
    const auto has = [told](std::int64_t place) {
        return std::ranges::count(told, place, &NodeEpochRecord::node) > 0;
    };
    if (!places_.empty()) return std::ranges::all_of(places_, has);
    for (std::int64_t rank = 0; rank < ranks_; ++rank)
        if (!has(rank)) return false;
    return true;
}

void PartialRun::add_epoch(std::int64_t epoch) {
    auto told = std::move(epochs_.extract(epoch).mapped());
    std::ranges::sort(told, {}, &NodeEpochRecord::node);
    ResultsBuilder builder(RunResults{});
    for (const auto& node : told) builder.add(node);
    CsvWriter csv;
    for (const auto& all : builder.finish().epochs) add_row(csv, all);
    OutputFile file(path() / epochs_file, OutputFile::Open::append);
    file.write(csv.take());
    file.flush();
}

void PartialRun::take(std::int64_t rank, NodeRecords records) {
    if (!places_.empty()) renumber(records, [this](std::int64_t node) { return place_of(node); });
    NodeRecords tables;
    tables.steps = records.steps;
    tables.epochs = records.epochs;
    folder_.journals().append(place_of(rank), std::move(records));
    add_to_tables(tables);
}

std::uint64_t PartialRun::mark(std::int64_t rank) {
    std::error_code absent;
    const auto bytes = fs::file_size(folder_.journals().records_of(place_of(rank)), absent);
    return absent ? 0 : bytes;
}

void PartialRun::take_weights(std::span<const std::byte> safetensors) {
    const auto reserved = path() / partial_records / partial_weights_room;
    const auto file = path() / weights_file;
    const auto opened = open_to_write(reserved);
    const bool written =
        write_over(opened.get(), safetensors) && ::rename(reserved.c_str(), file.c_str()) == 0;
    if (!written) cannot_write(file, std::strerror(errno));
    sync_folder(path());
    std::error_code ignored;
    fs::remove(path() / partial_weights_before, ignored);
}

void PartialRun::describe(const RunRecord& run) const {
    write_partial_record(path(), run, ranks_);
}

void PartialRun::go_on_with(std::int64_t ranks, const RunRecord& run) {
    ranks_ = ranks;
    describe(run);
    // Nodes tell an epoch behind its evaluation. One that was lost in it tells it no more.
    while (!epochs_.empty()) add_epoch(epochs_.begin()->first);
}

void PartialRun::go_on_apart(std::span<const std::int64_t> places, const RunRecord& run) {
    const auto before = std::exchange(places_, {places.begin(), places.end()});
    for (std::int64_t place = 0; place < ranks_; ++place) {
        const bool was_here = before.empty() || std::ranges::count(before, place) > 0;
        if (was_here && std::ranges::count(places_, place) == 0) end_records_of(place);
    }
    describe(run);
    std::vector<std::int64_t> complete;
    for (const auto& [epoch, told] : epochs_)
        if (has_all(told)) complete.push_back(epoch);
    for (const auto epoch : complete) add_epoch(epoch);
}

std::int64_t PartialRun::place_of(std::int64_t rank) const {
    return places_.empty() ? rank : places_.at(static_cast<std::size_t>(rank));
}

void PartialRun::end_records_of(std::int64_t place) {
    const auto journals = folder_.journals();
    NodeRecords last;
    auto& summary = last.summaries.emplace_back();
    summary.node = place;
    summary.steps = last_step_in(journals.records_of(place));
    journals.append(place, std::move(last));
}

void PartialRun::note_interrupted() {
    write_state(path(), PartialState::interrupted);
}

RunResults PartialRun::finish(const RunRecord& run) {
    // Both before the tables, since a process that completes this folder after an error or a kill knows no
    // more of the run. The state has its room on the disk, the description may not.
    if (run.status == RunStatus::done) write_state(path(), PartialState::trained);
    describe(run);
    const auto journals = folder_.journals();
    auto written = write_run_files(path(), run, journals, ranks_, journals.path());
    sync_folder(path());
    damage_ = std::move(written.damage);
    return std::move(written.results);
}

void PartialRun::begin_placing(const std::optional<fs::path>& keep_journals) const {
    write_state(path(), PartialState::complete);
    std::error_code ignored;
    fs::remove(path() / progress_file, ignored);
    fs::remove(path() / (std::string(progress_file) + ".new"), ignored);
    fs::remove(path() / partial_records / partial_weights_room, ignored);
    if (keep_journals) folder_.journals().move_to(*keep_journals);
}

void PartialRun::end_placing() {
    published_ = true;
    std::error_code ignored;
    folder_.journals().remove();
    for (const auto name : {partial_header_file, partial_state_file})
        fs::remove(path() / partial_records / name, ignored);
    fs::remove(path() / partial_records, ignored);
}

bool PartialRun::publish(const fs::path& target, const std::optional<fs::path>& keep_journals) {
    if (is_taken(target)) return false;
    begin_placing(keep_journals);
    if (!folder_.publish(target)) return false;
    end_placing();
    return true;
}

void PartialRun::replace(const fs::path& target, const std::optional<fs::path>& keep_journals) {
    begin_placing(keep_journals);
    folder_.replace(target);
    end_placing();
}

}  // namespace convoy
