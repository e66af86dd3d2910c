#pragma once

#include <boost/program_options.hpp>
#include <span>
#include <string>

#include "cluster/worker.hpp"
#include "command_form.hpp"

namespace convoy {

/// Options, arguments and help of `convoy worker`.
CommandForm worker_form();

/// The options with which a process joins a launcher.
boost::program_options::options_description worker_options_described();

/// Reads these options, and the token in the environment. Throws UsageError.
WorkerOptions worker_options(const boost::program_options::variables_map& given);

/// The training of a node, with the data in this machine's folder if --data or CONVOY_DATA gives one, since
/// the launcher's folder may be another; a node that the launcher itself started has its folder.
NodeJob training_job(const boost::program_options::variables_map& given);

/// Sets what the options of TLS say of a worker that joins at the door. Throws as tls_given.
void take_tls(const boost::program_options::variables_map& given, WorkerOptions& worker);

/// convoy worker --join HOST:PORT [--interface NAME|ADDRESS|CIDR] [--token-file FILE] [--data DIR]
/// The token comes from the file, or else from CONVOY_TOKEN. Returns the process's exit code; throws Error.
int worker_command(std::span<const std::string> arguments);

}  // namespace convoy
