#pragma once

#include <span>
#include <string>

#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy calibrate`.
CommandForm calibrate_form();

/// convoy calibrate SPEC: measures the nodes, hosts and links of a spec, and writes a calibration. Returns
/// the process's exit code; throws Error.
int calibrate_command(std::span<const std::string> arguments);

/// convoy calibrate-node: one node of such a measurement. A launcher starts it; users do not.
int calibrate_node_command(std::span<const std::string> arguments);

}  // namespace convoy
