#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "report/figures.hpp"
#include "report/records_csv.hpp"
#include "report/run_folder_format.hpp"

/// The CSV files of a run folder as texts of whole lists of records.
namespace convoy {

template <typename Record>
std::string csv_of(std::span<const std::string_view> columns, const std::vector<Record>& rows) {
    CsvWriter csv(columns);
    for (const auto& row : rows) add_row(csv, row);
    return csv.take();
}

inline std::string operators_csv(const std::vector<OperatorRecord>& rows) {
    return csv_of(operators_columns, rows);
}
inline std::string epochs_csv(const std::vector<EpochRecord>& rows) {
    return csv_of(epochs_columns, rows);
}
inline std::string system_csv(const std::vector<SystemSample>& rows) {
    return csv_of(system_columns, rows);
}
inline std::string steps_csv(const std::vector<StepRecord>& rows) {
    std::map<std::int64_t, double> losses;
    for (const auto& step : cluster_steps(rows, most_ranks)) losses[step.step] = step.loss;
    CsvWriter csv(steps_columns);
    for (const auto& row : rows) add_row(csv, row, losses.at(row.step));
    return csv.take();
}

template <typename Record>
std::vector<Record> rows_of(void (*read)(std::istream&, const std::string&,
                                         const std::function<void(const Record&)>&),
                            const std::string& text, const std::string& source) {
    std::istringstream in(text);
    std::vector<Record> rows;
    read(in, source, [&rows](const Record& row) { rows.push_back(row); });
    return rows;
}

}  // namespace convoy
