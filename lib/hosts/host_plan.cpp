#include "hosts/host_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace convoy {

namespace ip = boost::asio::ip;

namespace {

constexpr std::string_view set_prefix = "convoy-";
constexpr std::uint32_t benchmark_networks = 0xC6120000;  // 198.18.0.0
constexpr std::uint32_t last_of_network = 254;

/// The bytes that a link carries at once: what goes out between two ticks of a busy machine, as with 1 Gbit/s
/// and 2 ms, and some frames at least.
double burst_bytes(double mbit) {
    constexpr double burst_s = 2e-3, least_bytes = 32'768;
    return std::max(least_bytes, mbit * 1e6 / 8 * burst_s);
}

/// TCP hands its device up to 64 KB at once, and a token bucket cuts into frames what is larger than its
/// burst. The two cores of one machine cannot handle the frames of eight hosts at 150 Mbit/s: a ring's step
/// takes 1.5 times as long. So TCP hands over less than the burst. The rest is room for headers. mbit: the
/// slowest link, since a packet passes two.
void send_within_burst(std::vector<HostCommand>& commands, const std::string& name, double mbit) {
    constexpr double most_bytes = 65'536, without_headers = 0.9;
    const auto bytes = burst_bytes(mbit) * without_headers;
    if (bytes < most_bytes)
        commands.push_back(
            {"ip", "-n", name, "link", "set", "eth0", "gso_max_size", fmt::format("{:.0f}", bytes)});
}

/// Mbit/s of the slowest link; absent if no link has a limit.
std::optional<double> slowest_link(const HostPlan& plan) {
    std::optional<double> slowest;
    for (const auto& rate : plan.link_mbit)
        if (rate) slowest = std::min(slowest.value_or(*rate), *rate);
    return slowest;
}

/// A token bucket. The queue before it holds 20 ms, and 2 MB at least, as the buffer of a switch does: the
/// streams of several senders to one receiver would fill a smaller one, and lose frames. On a slow link it
/// holds at most 200 ms, which small messages wait behind large ones.
void limit_rate(std::vector<HostCommand>& commands, const std::string& name, const std::string& device,
                double mbit) {
    constexpr double queue_s = 20e-3, most_queue_s = 200e-3, least_queue_bytes = 2e6;
    const double bytes_per_s = mbit * 1e6 / 8;
    const auto burst = burst_bytes(mbit);
    const auto queue =
        std::max(bytes_per_s * queue_s, std::min(least_queue_bytes, bytes_per_s * most_queue_s));
    commands.push_back({"tc", "-n", name, "qdisc", "add", "dev", device, "root", "tbf", "rate",
                        fmt::format("{:.0f}bit", mbit * 1e6), "burst", fmt::format("{:.0f}b", burst), "limit",
                        fmt::format("{:.0f}b", std::max(queue, 2 * burst))});
}

/// TCP as Linux has it unless told otherwise, whatever this machine has, or else Reno's, which every kernel
/// allows: both fill a link until it loses frames. BBR estimates its rate, and two nodes that send to each
/// other at 20 Mbit/s get 0.85 to 0.9 of it.
void use_cubic_or_reno(std::vector<HostCommand>& commands, const std::string& name) {
    commands.push_back({"ip", "netns", "exec", name, "sh", "-c",
                        "for way in cubic reno; do sysctl -q -w net.ipv4.tcp_congestion_control=$way "
                        "2>/dev/null && break; done; :"});
}

std::string with_bits(const ip::address_v4& address) {
    return fmt::format("{}/24", address.to_string());
}

}  // namespace

std::string HostPlan::host_name(std::int64_t host) const {
    return fmt::format("{}-{}", name, host);
}

std::string HostPlan::switch_name() const {
    return name + "-switch";
}

ip::address_v4 HostPlan::host_address(std::int64_t host) const {
    return ip::address_v4(network.network().to_uint() + static_cast<std::uint32_t>(host) + 1);
}

ip::address_v4 HostPlan::launcher_address() const {
    return ip::address_v4(network.network().to_uint() + last_of_network);
}

ip::network_v4 host_network(std::int64_t index) {
    return {ip::address_v4(benchmark_networks + (static_cast<std::uint32_t>(index % host_networks) << 8U)),
            24};
}

std::vector<HostCommand> set_up_commands(const HostPlan& plan) {
    const auto bridge = plan.switch_name();
    std::vector<HostCommand> commands{
        {"ip", "netns", "add", bridge},
        {"ip", "-n", bridge, "link", "add", "bridge", "type", "bridge"},
        {"ip", "-n", bridge, "link", "set", "bridge", "up"},
        {"ip", "link", "add", plan.name, "type", "veth", "peer", "name", "launcher", "netns", bridge},
        {"ip", "-n", bridge, "link", "set", "launcher", "master", "bridge", "up"},
        {"ip", "address", "add", with_bits(plan.launcher_address()), "dev", plan.name},
        {"ip", "link", "set", plan.name, "up"}};
    const auto slowest = slowest_link(plan);
    for (std::int64_t host = 0; host < plan.hosts(); ++host) {
        const auto name = plan.host_name(host);
        const auto port = fmt::format("host{}", host);
        commands.push_back({"ip", "netns", "add", name});
        commands.push_back(
            {"ip", "-n", name, "link", "add", "eth0", "type", "veth", "peer", "name", port, "netns", bridge});
        commands.push_back({"ip", "-n", bridge, "link", "set", port, "master", "bridge", "up"});
        commands.push_back(
            {"ip", "-n", name, "address", "add", with_bits(plan.host_address(host)), "dev", "eth0"});
        commands.push_back({"ip", "-n", name, "link", "set", "lo", "up"});
        commands.push_back({"ip", "-n", name, "link", "set", "eth0", "up"});
        use_cubic_or_reno(commands, name);
        if (slowest) send_within_burst(commands, name, *slowest);
        const auto& rate = plan.link_mbit[static_cast<std::size_t>(host)];
        if (!rate) continue;
        limit_rate(commands, name, "eth0", *rate);
        limit_rate(commands, bridge, port, *rate);
    }
    return commands;
}

std::string host_set_name(std::int64_t owner) {
    return fmt::format("{}{}", set_prefix, owner);
}

std::optional<std::int64_t> owner_of(const std::string& name) {
    if (!name.starts_with(set_prefix)) return std::nullopt;
    std::int64_t owner = 0;
    const auto* last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data() + set_prefix.size(), last, owner);
    const bool ended = end == last || *end == '-';
    return error == std::errc{} && ended && owner > 0 ? std::optional(owner) : std::nullopt;
}

}  // namespace convoy
