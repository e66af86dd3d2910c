#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cluster/host_list.hpp"
#include "cluster/launcher.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// The hosts on which ssh starts the nodes of a run, and how.
struct RemoteHosts {
    std::vector<HostSlots> hosts;
    std::vector<std::string> ssh;  ///< path of the program, and options
    std::string program;           ///< path of convoy on the hosts
    std::optional<std::string> interface = {};

    /// What a launch is told. nodes: of the spec; ranks: of the run.
    [[nodiscard]] RemoteNodes nodes(std::int64_t nodes, std::int64_t ranks) const;
};

/// Adds --hosts, --host-file, --ssh and --remote-convoy.
void add_remote_options(boost::program_options::options_description& described);

/// Reads them; absent if nodes are not started by ssh. Throws UsageError, DisagreementError if the hosts have
/// too few slots for the spec, MissingFileError if there is no host file or no ssh.
std::optional<RemoteHosts> remote_hosts_given(const boost::program_options::variables_map& given,
                                              const ExperimentSpec& spec);

}  // namespace convoy
