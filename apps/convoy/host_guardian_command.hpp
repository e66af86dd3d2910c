#pragma once

#include <boost/program_options.hpp>
#include <span>
#include <string>

#include "spec/cluster_spec.hpp"

namespace convoy {

/// --hosts N --link-mbit R --cpu C --memory-mb M, as the fields of a spec's cluster.
boost::program_options::options_description cluster_options_described();

/// What they say; fields that are not given are absent. Bounds are not checked.
ClusterSpec cluster_given(const boost::program_options::variables_map& given);

/// convoy host-guardian --hosts N [limits]: started by a launcher, and not for users. Makes emulated hosts,
/// tells them on standard output and removes them when standard input ends. Returns the process's exit code;
/// throws Error.
int host_guardian_command(std::span<const std::string> arguments);

}  // namespace convoy
