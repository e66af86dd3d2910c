#include "hosts/host_set.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.hpp"
#include "base/run_program.hpp"
#include "measure/proc.hpp"
#include "net/interface.hpp"

namespace convoy {

namespace fs = std::filesystem;
namespace ip = boost::asio::ip;
using namespace std::chrono_literals;

namespace {

/// Where iproute2 keeps the names of network namespaces.
constexpr auto namespaces_folder = "/run/netns";

/// Runs one of iproute2's programs. Empty where it worked, else its complaint.
std::string complaint_of(const HostCommand& command) {
    const auto outcome = run_program(command, "", 30s);
    if (!outcome.in_time) return "took longer than 30 s";
    if (outcome.code == 0) return "";
    const auto line = outcome.err.substr(0, outcome.err.find('\n'));
    return line.empty() ? fmt::format("ended with {}", outcome.code) : line;
}

void run(const HostCommand& command) {
    try {
        const auto complaint = complaint_of(command);
        if (complaint.empty()) return;
        throw ClusterError(fmt::format("emulated hosts: {}: {}", fmt::join(command, " "), complaint));
    } catch (const MissingFileError& missing) {
        throw ClusterError(fmt::format("emulated hosts: {}; install iproute2", missing.what()));
    }
}

bool overlap(const ip::network_v4& one, const ip::network_v4& other) {
    const auto bits = std::min(one.prefix_length(), other.prefix_length());
    return ip::network_v4(one.address(), bits).network() == ip::network_v4(other.address(), bits).network();
}

/// A socket with an abstract name, which only one process of this network namespace can have at a time, and
/// which the kernel takes back when it ends, however it ends (unix(7)). Empty where another has it.
Descriptor reserve(const ip::network_v4& network) {
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() < 0)
        throw ClusterError(fmt::format("emulated hosts: no socket: {}", std::strerror(errno)));
    const auto name = fmt::format("convoy hosts {}", network.to_string());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) socket.reset();
    return socket;
}

/// Names in a folder that tell an owner.
std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
        auto name = entry.path().filename().string();
        if (owner_of(name)) names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
}

/// Removes all whose owner is gone (or is the one that is meant), and returns what is left of it.
template <typename Wanted>
std::vector<std::string> remove_if_owner(const ControlGroupRoots& roots, Wanted wanted) {
    std::vector<std::string> left;
    const auto take_away = [&left](const HostCommand& command) {
        const auto complaint = complaint_of(command);
        if (!complaint.empty()) left.push_back(fmt::format("{}: {}", fmt::join(command, " "), complaint));
    };
    for (const auto& root : folders_of(roots)) {
        for (const auto& name : names_in(root)) {
            if (!wanted(*owner_of(name)) || remove_control_group(root / name)) continue;
            left.push_back(
                fmt::format("the control group {} has processes that do not end", (root / name).string()));
        }
    }
    for (const auto& name : names_in(namespaces_folder)) {
        const auto owner = *owner_of(name);
        if (!wanted(owner)) continue;
        // The link first: it would go some time after the namespace that its other end is in.
        if (const auto link = host_set_name(owner); ::if_nametoindex(link.c_str()) != 0)
            take_away({"ip", "link", "delete", link});
        take_away({"ip", "netns", "delete", name});
    }
    return left;
}

bool is_gone(std::int64_t process) {
    return ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
}

}  // namespace

HostSet::HostSet(const ClusterSpec& cluster, std::int64_t hosts)
    : roots_(parse_control_group_roots(read_proc("/proc/self/mountinfo"), read_proc("/proc/self/cgroup"))),
      plan_{.name = host_set_name(::getpid()), .link_mbit = {}, .network = {}} {
    for (std::int64_t host = 0; host < hosts; ++host) plan_.link_mbit.push_back(cluster.host(host).link_mbit);
    if (::geteuid() != 0) {
        throw ClusterError(
            "emulated hosts need root, which makes their networks and control groups: run convoy as root, or "
            "leave "
            "cluster out of the spec");
    }
    remove_if_owner(roots_, is_gone);
    try {
        make(cluster);
    } catch (...) {
        remove();
        throw;
    }
}

HostSet::~HostSet() {
    try {
        remove();
    } catch (const std::exception&) {
        // Who wants to know calls remove() before.
    }
}

void HostSet::make(const ClusterSpec& cluster) {
    const auto taken = networks_here();
    const auto is_free = [&taken](const ip::network_v4& network) {
        return std::ranges::none_of(taken, [&](const auto& other) { return overlap(network, other); });
    };
    for (std::int64_t i = 0; i < host_networks && reservation_.get() < 0; ++i) {
        plan_.network = host_network(::getpid() + i);
        if (is_free(plan_.network)) reservation_ = reserve(plan_.network);
    }
    if (reservation_.get() < 0)
        throw ClusterError("emulated hosts: every network of 198.18.0.0/15 is in use on this machine");
    // What fails more often first.
    for (std::int64_t host = 0; host < plan_.hosts(); ++host)
        groups_.push_back(make_control_groups(roots_, cluster.host(host), plan_.host_name(host)));
    for (const auto& command : set_up_commands(plan_)) run(command);
}

std::vector<std::string> HostSet::remove() {
    return remove_if_owner(roots_, [](std::int64_t owner) { return owner == ::getpid(); });
}

}  // namespace convoy
