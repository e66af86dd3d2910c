#pragma once

#include <string>

namespace convoy {

/// Makes standard input and output the control connection of a worker that ssh started. Returns a stream
/// socket; two threads carry the bytes between it and the standard files, which may be pipes. What the
/// process then writes on standard output goes to standard error. Throws ClusterError.
int take_standard_connection();

/// The address of this host that ssh reached it by, from SSH_CONNECTION (ssh(1)). Throws UsageError if the
/// variable does not say it.
std::string address_of_ssh();

}  // namespace convoy
