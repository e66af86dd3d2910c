#pragma once

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace convoy {

/// The options --hosts N --link-mbit R --cpu C --memory-mb M. A limit is one value for all hosts, or a list
/// with one value for each host.
boost::program_options::options_description cluster_options_described();

/// Makes the cluster of a spec from these options; null if none is given. The parser of the spec checks
/// bounds. Throws UsageError if a limit is not a number, or if a list does not have one value for each host.
nlohmann::json cluster_json_given(const boost::program_options::variables_map& given);

/// convoy host-guardian --hosts N [limits]. A launcher starts it; users do not. Makes emulated hosts,
/// describes them on standard output, and removes them when standard input ends. Returns the process's exit
/// code; throws Error.
int host_guardian_command(std::span<const std::string> arguments);

}  // namespace convoy
