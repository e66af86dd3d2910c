#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "measure/records.hpp"

namespace convoy {

/// "train" or "evaluate".
std::string_view phase_name(RunPhase phase);

/// A run folder's CSV files as text, with the columns of run_folder_format.hpp. Microseconds have 3 digits
/// after the point, seconds 6, losses and accuracies 9 significant digits.
std::string operators_csv(const std::vector<OperatorRecord>& operators);
std::string steps_csv(const std::vector<StepRecord>& steps);
std::string epochs_csv(const std::vector<EpochRecord>& epochs);
std::string system_csv(const std::vector<SystemSample>& system);

/// The way back. source names the text in errors; DataError where it is not what the writers write. Columns
/// that are not known are ignored; a step's loss that is empty comes back as NaN.
std::vector<OperatorRecord> read_operators_csv(std::string_view text, const std::string& source);
std::vector<StepRecord> read_steps_csv(std::string_view text, const std::string& source);
std::vector<EpochRecord> read_epochs_csv(std::string_view text, const std::string& source);
std::vector<SystemSample> read_system_csv(std::string_view text, const std::string& source);

}  // namespace convoy
