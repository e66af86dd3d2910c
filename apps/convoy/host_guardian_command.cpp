#include "host_guardian_command.hpp"

#include <unistd.h>

#include "command_line.hpp"
#include "hosts/host_guardian.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

template <typename Value>
std::optional<Value> value_given(const options::variables_map& given, const char* option) {
    return given.contains(option) ? std::optional(given[option].as<Value>()) : std::nullopt;
}

}  // namespace

options::options_description cluster_options_described() {
    options::options_description described("emulated hosts, which need root");
    described.add_options()  //
        ("hosts", options::value<std::int64_t>(),
         "so many, over which the processes are spread in blocks")  //
        ("link-mbit", options::value<double>(),
         "rate of each host's link, each way, in 10^6 bits a second")               //
        ("cpu", options::value<double>(), "processor time of each host, in cores")  //
        ("memory-mb", options::value<std::int64_t>(), "memory of each host, in 10^6 bytes");
    return described;
}

ClusterSpec cluster_given(const options::variables_map& given) {
    return {.hosts = value_given<std::int64_t>(given, "hosts"),
            .link_mbit = value_given<double>(given, "link-mbit"),
            .cpu = value_given<double>(given, "cpu"),
            .memory_mb = value_given<std::int64_t>(given, "memory-mb")};
}

int host_guardian_command(std::span<const std::string> arguments) {
    const auto described = cluster_options_described();
    const auto given = parse_arguments("host-guardian", arguments, described, {});
    if (print_help(given, "convoy host-guardian --hosts N [options]: started by runs with emulated hosts",
                   described))
        return 0;
    const auto cluster = cluster_given(given);
    return guard_hosts(cluster, cluster.hosts.value_or(1), STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace convoy
