#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// "train" or "evaluate".
std::string_view phase_name(RunPhase phase);

/// The CSV files of a run folder as text, with the columns of run_folder_format.hpp. Microseconds have 3
/// digits after the point, seconds have 6, losses and accuracies have 9 significant digits.
std::string operators_csv(const std::vector<OperatorRecord>& operators);
std::string steps_csv(const std::vector<StepRecord>& steps);
std::string epochs_csv(const std::vector<EpochRecord>& epochs);
std::string system_csv(const std::vector<SystemSample>& system);

/// Readers of these files. source: the name of the text in errors. Throws DataError if the text is not in the
/// format of the writers. Unknown columns are ignored. An empty loss of a step becomes NaN.
std::vector<OperatorRecord> read_operators_csv(std::string_view text, const std::string& source);
std::vector<StepRecord> read_steps_csv(std::string_view text, const std::string& source);
std::vector<EpochRecord> read_epochs_csv(std::string_view text, const std::string& source);
std::vector<SystemSample> read_system_csv(std::string_view text, const std::string& source);

}  // namespace convoy
