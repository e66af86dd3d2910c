#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace convoy {

/// The table under which notes on claims stand; `row` is then the claim's id.
inline constexpr std::string_view claims_table = "claims";

/// Why something differs, in a sentence, and which run shows it.
struct ReplicationNote {
    std::string experiment;                       ///< empty: any
    std::string table, row;                       ///< row: empty: all rows of the table
    std::optional<std::int64_t> batch_size = {};  ///< absent: at all batch sizes
    std::string sentence;
    std::string run = {};  ///< the run or figure that isolates the cause; empty: it is not tested
};

/// Reads a CSV file with the columns experiment, table, row, batch_size, sentence and run. source: its name
/// in errors. Throws DataError if it is damaged.
std::vector<ReplicationNote> read_notes_csv(std::istream& text, const std::string& source);
std::vector<ReplicationNote> read_notes(const std::filesystem::path& file);

/// The text of the first note on a row, with its run; empty if there is none. table: as in the page, "5.1" or
/// "5.1, 5.2".
std::string note_on(std::span<const ReplicationNote> notes, const std::string& experiment,
                    const std::string& table, const std::string& row,
                    std::optional<std::int64_t> batch_size = {});

}  // namespace convoy
