#include "cluster/run_starter.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "cluster/local_starter.hpp"
#include "cluster/seats.hpp"
#include "cluster/ssh_starter.hpp"
#include "hosts/control_groups.hpp"
#include "net/interface.hpp"

namespace convoy {

namespace {

/// The command of this program, unless another one was given.
std::vector<std::string> command_or_own(const std::vector<std::string>& given, const char* subcommand) {
    if (!given.empty()) return given;
    return {std::filesystem::read_symlink("/proc/self/exe").string(), subcommand};
}

}  // namespace

RunStarter::RunStarter(boost::asio::any_io_executor executor, const LaunchOptions& options,
                       LaunchObserver& observer)
    : executor_(std::move(executor)), options_(options), observer_(observer), seats_(seats_of(options)) {}

void RunStarter::open() {
    if (const auto& cluster = options_.spec.cluster) {
        hosts_.emplace(command_or_own(options_.host_guardian, "host-guardian"), *cluster,
                       cluster->hosts_for(options_.spec.world_size()));
        observer_.on_detail(fmt::format("made the emulated hosts, in {}", *network()));
    }
    address_ = resolve_interface(options_.interface);
    if (options_.remote) {
        own_ = std::make_unique<SshStarter>(executor_, *options_.remote);
    } else {
        own_ = make_local_starter();
    }
}

std::optional<std::string> RunStarter::network() const {
    if (!hosts_) return std::nullopt;
    return hosts_->plan().network.to_string();
}

std::vector<std::string> RunStarter::remove_hosts() {
    if (!hosts_) return {};
    own_.reset();
    return hosts_->remove();
}

std::unique_ptr<NodeStarter> RunStarter::make_local_starter() {
    auto place_of = [this](std::int64_t rank) -> LocalPlace {
        if (!hosts_) return {.address = address_.to_string(), .host = nullptr, .killed_because = {}};
        const auto host = options_.spec.host_of(rank);
        const auto reason = [this, host]() -> std::string {
            if (!ran_out_of_memory(hosts_->control_groups(host))) return "";
            return ", as the memory of its host was used up (cluster.memory_mb),";
        };
        return {.address = hosts_->plan().host_address(host).to_string(),
                .host = &hosts_->entrance(host),
                .killed_because = reason};
    };
    return std::make_unique<LocalStarter>(executor_, command_or_own(options_.worker_command, "worker"),
                                          std::move(place_of), options_.nodes_ignore_term);
}

std::optional<StartedNode> RunStarter::start(const NodeStart& node, NodeWatch watch) {
    auto started = starter_of(node.rank).start(node, std::move(watch));
    if (!started) return started;
    const auto pid = started->pid == 0 ? "" : fmt::format(" (pid {})", started->pid);
    observer_.on_detail(fmt::format("started node {}{} on {}", node.rank, pid, started->host));
    return started;
}

void RunStarter::signal(std::int64_t rank, int number) {
    starter_of(rank).signal(rank, number);
}

void RunStarter::end(std::int64_t rank, bool by_force) {
    starter_of(rank).end(rank, by_force);
}

NodeStarter& RunStarter::starter_of(std::int64_t rank) {
    if (seats_.at(static_cast<std::size_t>(rank)).by_hand) return by_hand_;
    return *own_;
}

}  // namespace convoy
