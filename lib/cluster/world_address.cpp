#include "cluster/world_address.hpp"

#include <fmt/format.h>
#include <limits.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "base/error.hpp"
#include "net/interface.hpp"

namespace convoy {

namespace ip = boost::asio::ip;

namespace {

constexpr std::string_view remedy = "; give --listen an address, an interface or a network, as 10.0.0.0/24";

bool is_of_this_machine(const ip::address& address) {
    try {
        resolve_interface(address.to_string());
        return true;
    } catch (const ClusterError&) {
        return false;
    }
}

/// The address of this machine to which a name leads. what: the name in words.
ip::address address_of(const std::string& name, const std::string& what) {
    boost::asio::io_context io;
    boost::system::error_code problem;
    const auto found = ip::tcp::resolver(io).resolve(name, "", problem);
    if (problem) throw ClusterError(fmt::format("{} has no address: {}{}", what, problem.message(), remedy));
    std::string others;
    for (const auto& entry : found) {
        const auto address = entry.endpoint().address();
        if (is_of_this_machine(address)) return address;
        others += (others.empty() ? "" : ", ") + address.to_string();
    }
    throw ClusterError(
        fmt::format("{} has the address {}, which is none of this machine{}", what, others, remedy));
}

}  // namespace

ip::address address_for_world(const World& world, const std::optional<std::string>& interface,
                              const std::string& host_name) {
    ip::address address;
    std::string what;
    if (interface) {
        address = resolve_interface(*interface);
        what = "--listen";
    } else if (!world.master.empty()) {
        what = fmt::format("MASTER_ADDR ({})", world.master);
        address = address_of(world.master, what);
    } else if (world.several_hosts.empty()) {
        return ip::address_v4::loopback();
    } else {
        what = fmt::format("the host name {}", host_name);
        address = address_of(host_name, what);
    }
    if (address.is_loopback() && !world.several_hosts.empty())
        throw ClusterError(fmt::format(
            "{} leads to {}, and no other host reaches that: the processes are on several hosts, as {}{}",
            what, address.to_string(), world.several_hosts, remedy));
    return address;
}

bool is_of_every_host(const std::string& interface) {
    boost::system::error_code not_an_address;
    ip::make_address(interface, not_an_address);
    return not_an_address.failed();
}

std::string own_host_name() {
    std::array<char, HOST_NAME_MAX + 1> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "localhost";
    return name.data();
}

}  // namespace convoy
