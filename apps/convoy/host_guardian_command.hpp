#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace convoy {

/// --hosts N --link-mbit R --cpu C --memory-mb M: a limit is of all hosts, or a list with one for each.
boost::program_options::options_description cluster_options_described();

/// What they say as the cluster of a spec, whose parser checks bounds; null where none is given. Throws
/// UsageError where a limit is no number, or where a list does not have one for each host.
nlohmann::json cluster_json_given(const boost::program_options::variables_map& given);

/// convoy host-guardian --hosts N [limits]: started by a launcher, and not for users. Makes emulated hosts,
/// tells them on standard output and removes them when standard input ends. Returns the process's exit code;
/// throws Error.
int host_guardian_command(std::span<const std::string> arguments);

}  // namespace convoy
