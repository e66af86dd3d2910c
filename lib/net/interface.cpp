#include "net/interface.hpp"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <boost/asio/ip/network_v6.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace convoy {
namespace ip = boost::asio::ip;

namespace {

struct Interface {
    std::string name;
    ip::address address;
};

ip::address address_of(const sockaddr& raw) {
    if (raw.sa_family == AF_INET) {
        sockaddr_in v4{};
        std::memcpy(&v4, &raw, sizeof(v4));
        return ip::address_v4(ntohl(v4.sin_addr.s_addr));
    }
    sockaddr_in6 v6{};
    std::memcpy(&v6, &raw, sizeof(v6));
    ip::address_v6::bytes_type bytes{};
    std::memcpy(bytes.data(), v6.sin6_addr.s6_addr, bytes.size());
    return ip::address_v6(bytes, v6.sin6_scope_id);
}

using Entries = std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)>;

/// A list of what the interfaces have, each entry with the next.
Entries entries() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) {
        throw ClusterError(fmt::format("the network interfaces cannot be listed: {}", std::strerror(errno)));
    }
    return {first, &::freeifaddrs};
}

/// Addresses of the interfaces that are up, IPv4 before IPv6.
std::vector<Interface> list_interfaces() {
    const auto first = entries();
    std::vector<Interface> found;
    for (const auto* entry = first.get(); entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) continue;
        const auto family = entry->ifa_addr->sa_family;
        if (family == AF_INET || family == AF_INET6)
            found.push_back({entry->ifa_name, address_of(*entry->ifa_addr)});
    }
    std::stable_partition(found.begin(), found.end(), [](const auto& each) { return each.address.is_v4(); });
    return found;
}

/// Whether address lies in a network such as 10.0.0.0/8.
bool within(std::string_view cidr, const ip::address& address) {
    boost::system::error_code not_v4, not_v6;
    const auto v4 = ip::make_network_v4(cidr, not_v4);
    if (!not_v4)
        return address.is_v4() &&
               ip::network_v4(address.to_v4(), v4.prefix_length()).network() == v4.network();
    const auto v6 = ip::make_network_v6(cidr, not_v6);
    if (not_v6)
        throw ClusterError(fmt::format("interface \"{}\": not a network; write one as 10.0.0.0/8", cidr));
    return address.is_v6() &&
           ip::network_v6(ip::address_v6(address.to_v6().to_bytes()), v6.prefix_length()).network() ==
               v6.network();
}

[[noreturn]] void refuse_interface(std::string_view wanted, const std::vector<Interface>& all) {
    std::string here;
    for (const auto& [name, address] : all) {
        here += fmt::format("{}{} ({})", here.empty() ? "" : ", ", name, address.to_string());
    }
    throw ClusterError(fmt::format("interface \"{}\": this machine has none such, only {}", wanted, here));
}

}  // namespace

std::vector<ip::network_v4> networks_here() {
    const auto first = entries();
    std::vector<ip::network_v4> found;
    for (const auto* entry = first.get(); entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || entry->ifa_netmask == nullptr ||
            entry->ifa_addr->sa_family != AF_INET)
            continue;
        found.emplace_back(address_of(*entry->ifa_addr).to_v4(), address_of(*entry->ifa_netmask).to_v4());
    }
    return found;
}

ip::address resolve_interface(std::string_view interface) {
    if (interface.empty()) return ip::address_v4::loopback();
    const bool is_network = interface.find('/') != std::string_view::npos;
    boost::system::error_code not_an_address;
    const auto address = ip::make_address(interface, not_an_address);
    const auto matches = [&](const Interface& each) {
        if (is_network) return within(interface, each.address);
        if (!not_an_address) return each.address == address || (address.is_loopback() && address.is_v4());
        return each.name == interface;
    };
    const auto all = list_interfaces();
    const auto found = std::find_if(all.begin(), all.end(), matches);
    if (found == all.end()) refuse_interface(interface, all);
    return not_an_address ? found->address : address;
}

}  // namespace convoy
