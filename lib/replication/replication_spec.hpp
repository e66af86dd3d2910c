#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/operator_names.hpp"

namespace convoy {

/// The file of a folder of published figures that says how each of them is measured here. REPLICATION.md has
/// its form.
inline constexpr std::string_view replication_file = "replication.json";

/// What a sum is divided by.
enum class Per : std::uint8_t { run, epoch, step };

/// The time of an operator that counts.
enum class OperatorTime : std::uint8_t { total, exposed, in_flight, hidden, skew };

/// Stands for the name of the published row in a term.
inline constexpr std::string_view row_itself = "*";

/// One part of a measure: the time of an operator in training, or a column of a table of `convoy report`.
struct MeasureTerm {
    std::string operator_name = {};  ///< empty: the term is of a table
    OperatorTime time = OperatorTime::total;
    std::string table = {}, column = {};
    std::string row = {};  ///< its first cell; empty: the mean over all rows
    double factor = 1.0;
    Per per = Per::epoch;
    bool optional = false;  ///< 0 where a run has no such operator or row
};

/// How a published quantity is measured here: the sum of terms, by the system if systems need other terms.
struct Measure {
    std::string unit;
    std::map<std::string, std::vector<MeasureTerm>, std::less<>> terms;  ///< by system; "" of all systems

    /// Those of a system; null if it has none.
    [[nodiscard]] const std::vector<MeasureTerm>* of(const std::string& system) const;
};

/// A table of the page.
struct ReplicatedTable {
    std::string title;
    std::vector<std::string> tables;  ///< numbers of published tables, which share the page's table
    std::string measure;
    std::vector<std::string> rows = {};              ///< only these; empty: all
    std::map<std::string, std::string> by_row = {};  ///< the measures of rows that have another
    std::string note = {};                           ///< a sentence below the title
    std::string repeats = {};  ///< the tables whose figures it repeats, in words; its rows count there
};

/// A figure of the page: a measure of all systems by batch size.
struct ReplicatedFigure {
    std::string title, measure, axis;
    double factor = 1.0;  ///< from the measure's unit to the axis'
    std::string row = {};
};

enum class ClaimForm : std::uint8_t {
    above,
    below,
    at_least,
    at_most,  ///< these four: at every batch size
    rises,
    falls,  ///< with the batch size
    leads,  ///< the greatest of some rows, at every batch size
    greatest,
    least  ///< the extreme over the batch sizes, which was published ("up to")
};

/// A finding of the work, as a question to the runs.
struct Claim {
    std::string id, text, where;
    std::vector<std::string> experiments = {};  ///< empty: of all
    std::string measure = {};                   ///< empty: nothing here measures it
    std::string row = {}, of = {};              ///< of: a system, or "A/B"
    ClaimForm form = ClaimForm::above;
    std::optional<double> bound = {};
    std::vector<std::string> among = {};   ///< of `leads`: the rows that it leads
    std::vector<std::string> tables = {};  ///< that show it; empty: told in words
};

/// A folder's replication.json.
struct ReplicationSpec {
    std::string title, source;
    std::string a, b;  ///< the systems; ratios are a / b
    /// Ratios that differ by less than this factor have the same direction.
    double level = 1.0;
    /// Ratios that differ by at most this factor have the same order of magnitude.
    double magnitude = 10.0;
    std::vector<OperatorName> names = {};
    std::map<std::string, Measure, std::less<>> measures = {};
    std::vector<ReplicatedTable> tables = {};
    std::vector<ReplicatedFigure> figures = {};
    std::vector<Claim> claims = {};
};

/// Parses the text of a replication.json. source: its name in errors. Throws DataError, which names the
/// place.
ReplicationSpec parse_replication(std::string_view text, const std::string& source);

/// Reads a folder's replication.json. Throws MissingFileError or DataError.
ReplicationSpec read_replication(const std::filesystem::path& folder);

/// The `names` of a replication.json, or of a file that has nothing else. Throws as read_replication.
std::vector<OperatorName> read_operator_names(const std::filesystem::path& file);

}  // namespace convoy
