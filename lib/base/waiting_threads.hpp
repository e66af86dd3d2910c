#pragma once

#include <string>
#include <utility>

namespace convoy {

/// The variable of the environment, and its value, by which threads of OpenMP that wait give their cores back
/// soon. OpenMP reads it when a process starts.
std::pair<std::string, std::string> setting_of_waiting_threads();

/// Whether this process has such a setting: this one, or one of the user's own (OMP_WAIT_POLICY,
/// GOMP_SPINCOUNT).
bool has_setting_of_waiting_threads();

/// Starts the program of this process again in its place, with the setting, if it has none. Returns if it has
/// one, or if the program cannot be started; then waiting threads hold their cores for longer. arguments: as
/// main has them.
void restart_with_setting_of_waiting_threads(char** arguments);

}  // namespace convoy
