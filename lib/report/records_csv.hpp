#pragma once

#include <functional>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "measure/records.hpp"
#include "report/csv.hpp"
#include "report/label_histogram.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// "train" or "evaluate".
std::string_view phase_name(RunPhase phase);

/// Rows of the CSV files of a run folder, with the columns of run_folder_format.hpp. Microseconds have 3
/// digits after the point, seconds have 6, losses and accuracies have 9 significant digits.
void add_row(CsvWriter& csv, const OperatorRecord& row);
/// global_loss: the mean over the examples of all nodes in this step; absent where it is not known yet.
void add_row(CsvWriter& csv, const StepRecord& row, const std::optional<double>& global_loss);
void add_row(CsvWriter& csv, const EpochRecord& row);
void add_row(CsvWriter& csv, const SystemSample& row);
void add_row(CsvWriter& csv, const LabelCount& row);
void add_row(CsvWriter& csv, const UpdateRecord& row);
void add_row(CsvWriter& csv, const NodeFailure& row);

/// Readers of these files; they hand over one row after another. source: the name of the text in errors.
/// Throws DataError if the text is not in the format of the writers. Unknown columns are ignored. An empty
/// loss of a step becomes NaN.
void read_operators_csv(std::istream& text, const std::string& source,
                        const std::function<void(const OperatorRecord&)>& take);
void read_steps_csv(std::istream& text, const std::string& source,
                    const std::function<void(const StepRecord&)>& take);
void read_epochs_csv(std::istream& text, const std::string& source,
                     const std::function<void(const EpochRecord&)>& take);
void read_system_csv(std::istream& text, const std::string& source,
                     const std::function<void(const SystemSample&)>& take);
void read_updates_csv(std::istream& text, const std::string& source,
                      const std::function<void(const UpdateRecord&)>& take);

}  // namespace convoy
