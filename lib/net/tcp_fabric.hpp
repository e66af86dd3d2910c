#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/fabric.hpp"

namespace convoy {

/// Listens on address, on a port that the system gives; publish its local_endpoint() to the peers.
/// Throws ClusterError where the address cannot be bound.
boost::asio::ip::tcp::acceptor listen_on(const boost::asio::any_io_executor& executor,
                                         const boost::asio::ip::address& address);

/// Ranks that one address reaches share a host: a number for the host of each.
std::vector<std::int64_t> host_of_rank(std::span<const boost::asio::ip::tcp::endpoint> endpoints);

/// What a write to a rank on the same host may leave in the kernel. Both ends share the caches there: what
/// waits in a buffer of megabytes has left them by the time it is read. With buffers that the kernel lets
/// grow, sums of 2 MB and more take 1.2 to 1.7 times as long on 2 to 8 nodes of a machine of two cores.
inline constexpr int same_host_send_buffer_bytes = 400'000;

struct TcpFabricOptions {
    std::int64_t rank = 0;
    std::vector<boost::asio::ip::tcp::endpoint>
        endpoints;      ///< where each rank listens; their number is the world size
    std::string token;  ///< names the run; a connection that does not know it is dropped
    std::vector<std::int64_t> send_to = {}, receive_from = {};  ///< the peers to link to, each way
    std::int64_t connections = 1;  ///< to each of them, each of a fabric of its own
    Clock::duration formation_deadline = std::chrono::seconds(30);
    Clock::duration greeting_deadline = std::chrono::seconds(5);  ///< for whoever connects to say hello
    FabricOptions fabric = {};
};

/// Connects to every rank of send_to and accepts every rank of receive_from, as often as there are to be
/// connections; gives a fabric for each. Both sides of a connection say
/// hello with token and ranks first; a stranger is dropped, and does not hold up the others. Throws
/// ClusterError that names the nodes that are missing when the deadline passes, or the node that refuses or
/// belongs to another run; DisagreementError where a node runs another version.
boost::asio::awaitable<std::vector<std::unique_ptr<Fabric>>> form_tcp_fabrics(
    boost::asio::ip::tcp::acceptor acceptor, TcpFabricOptions options);

}  // namespace convoy
