#include "remote_hosts.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/error.hpp"
#include "cluster/endpoint.hpp"
#include "cluster/world_address.hpp"
#include "command_line.hpp"
#include "net/interface.hpp"
#include "world_node.hpp"

namespace convoy {

namespace fs = std::filesystem;
namespace options = boost::program_options;

namespace {

/// The words of --ssh, the first as a path.
std::vector<std::string> ssh_given(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (words.empty()) throw UsageError("--ssh: found nothing, expected a program and its options");
    if (words.front().find('/') != std::string::npos) return words;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        auto file = fs::path(folder.empty() ? "." : folder) / words.front();
        if (::access(file.c_str(), X_OK) != 0) continue;
        words.front() = file.string();
        return words;
    }
    throw MissingFileError(
        fmt::format("--ssh: there is no program {}; install openssh-client", words.front()));
}

std::vector<HostSlots> hosts_given(const options::variables_map& given) {
    if (given.contains("hosts") && given.contains("host-file"))
        throw UsageError("--hosts and --host-file: give one of them");
    if (const auto file = path_given(given, "host-file"))
        return naming_option("host-file", [&] { return read_host_file(*file); });
    return naming_option("hosts", [&] { return parse_host_list(given["hosts"].as<std::string>()); });
}

/// Whether an interface or a network of this machine is its loopback.
bool is_loopback_here(const std::string& interface) {
    try {
        return resolve_interface(interface).is_loopback();
    } catch (const Error&) {
        return false;  // another host may have it
    }
}

}  // namespace

RemoteNodes RemoteHosts::nodes(std::int64_t nodes, std::int64_t ranks) const {
    RemoteNodes all{.hosts = {},
                    .place_of_rank = places_of_ranks(hosts, nodes, ranks),
                    .ssh = ssh,
                    .program = program,
                    .folder = fs::current_path().string(),
                    .interface = interface};
    for (const auto& host : hosts) all.hosts.push_back(host.host);
    return all;
}

void add_remote_options(options::options_description& described) {
    described.add_options()  //
        ("hosts", options::value<std::string>()->value_name("HOST[:SLOTS],..."),
         "ssh starts the nodes on these hosts, as many as a host has slots (1 without a number)")  //
        ("host-file", options::value<std::string>()->value_name("FILE"),
         "the same from a file: a line for each host, as in HOST slots=2")  //
        ("ssh", options::value<std::string>()->value_name("COMMAND")->default_value("ssh"),
         "with these: the program with its options behind it, divided at spaces")  //
        ("remote-convoy", options::value<std::string>()->value_name("PATH"),
         "with these: convoy on the hosts; else the path of this program");
}

std::optional<RemoteHosts> remote_hosts_given(const options::variables_map& given,
                                              const ExperimentSpec& spec) {
    const bool has_hosts = given.contains("hosts") || given.contains("host-file");
    const auto starter = starter_given(given);
    if (!has_hosts && starter == Starting::ssh)
        throw UsageError("--starter ssh: needs --hosts or --host-file");
    if (!has_hosts) return std::nullopt;
    if (starter == Starting::local) throw UsageError("--hosts and --starter local: give one of them");
    if (given.contains("await")) throw UsageError("--hosts and --await: give one of them");
    RemoteHosts remote{.hosts = hosts_given(given),
                       .ssh = ssh_given(given["ssh"].as<std::string>()),
                       .program = fs::read_symlink("/proc/self/exe").string()};
    if (const auto path = path_given(given, "remote-convoy")) remote.program = path->string();
    if (given.contains("listen")) {
        auto listen =
            naming_option("listen", [&] { return split_listen_address(given["listen"].as<std::string>()); });
        if (!is_of_every_host(listen.address))
            throw UsageError(
                "--listen: with --hosts, expected an interface or a network that each host has, "
                "as eth0 or 10.0.0.0/24");
        if (remote.hosts.size() > 1 && is_loopback_here(listen.address))
            throw UsageError("--listen: on several hosts, expected a network between them, and no loopback");
        remote.interface = std::move(listen.address);
    }
    places_of_ranks(remote.hosts, spec.world_size(), spec.world_size());
    return remote;
}

}  // namespace convoy
