#include "replication/notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/open_to_read.hpp"
#include "report/csv.hpp"

namespace convoy {
namespace {

constexpr std::size_t most_notes = 10'000;

bool is_on(const ReplicationNote& note, const std::string& experiment, const std::string& table,
           const std::string& row, std::optional<std::int64_t> batch_size) {
    return (note.experiment.empty() || note.experiment == experiment) && note.table == table &&
           (note.row.empty() || note.row == row) && (!note.batch_size || note.batch_size == batch_size);
}

}  // namespace

std::vector<ReplicationNote> read_notes_csv(std::istream& text, const std::string& source) {
    CsvRows rows(text, source);
    const auto experiment = rows.column("experiment"), table = rows.column("table"), row = rows.column("row"),
               batch_size = rows.column("batch_size"), sentence = rows.column("sentence"),
               run = rows.column("run");
    std::vector<ReplicationNote> notes;
    while (rows.next()) {
        if (notes.size() == most_notes)
            throw DataError(fmt::format("{}: has more than {} notes", source, most_notes));
        if (rows.text(sentence).empty()) rows.fail(sentence, "a sentence");
        const auto batch = rows.text(batch_size).empty() ? std::optional<std::int64_t>()
                                                         : std::optional(rows.count(batch_size));
        notes.push_back({.experiment = rows.text(experiment),
                         .table = rows.text(table),
                         .row = rows.text(row),
                         .batch_size = batch,
                         .sentence = rows.text(sentence),
                         .run = rows.text(run)});
    }
    return notes;
}

std::vector<ReplicationNote> read_notes(const std::filesystem::path& file) {
    return read_notes_csv(*open_stream(file), file.string());
}

std::string note_on(std::span<const ReplicationNote> notes, const std::string& experiment,
                    const std::string& table, const std::string& row,
                    std::optional<std::int64_t> batch_size) {
    const auto found = std::ranges::find_if(
        notes, [&](const auto& note) { return is_on(note, experiment, table, row, batch_size); });
    if (found == notes.end()) return {};
    return found->run.empty() ? found->sentence : fmt::format("{} ({})", found->sentence, found->run);
}

}  // namespace convoy
