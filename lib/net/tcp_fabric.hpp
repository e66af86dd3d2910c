#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "net/fabric.hpp"
#include "net/session.hpp"
#include "net/tls_context.hpp"
#include "net/waiting_room.hpp"

namespace convoy {

/// Listens on this address, on a port that the system chooses. Peers need the local_endpoint() of the result.
/// Throws ClusterError if the address cannot be bound.
boost::asio::ip::tcp::acceptor listen_on(const boost::asio::any_io_executor& executor,
                                         const boost::asio::ip::address& address);

/// The number of each rank's host. Ranks with the same address share a host.
std::vector<std::int64_t> host_of_rank(std::span<const boost::asio::ip::tcp::endpoint> endpoints);

/// The size of the send buffer to a rank on the same host. Both ends share the caches of the host, and data
/// in a buffer of megabytes have left the caches when they are read. With buffers that the kernel lets grow,
/// sums of 2 MB and more take 1.2 to 1.7 times as long on 2 to 8 nodes of a machine of two cores.
inline constexpr int same_host_send_buffer_bytes = 400'000;

/// Ends the forming of links from outside. Of the thread of their executor.
class FormationEnd {
  public:
    /// Ends it with this error, also if it begins later.
    void end(std::exception_ptr reason) {
        reason_ = std::move(reason);
        if (on_end_) on_end_();
    }
    [[nodiscard]] const std::exception_ptr& reason() const { return reason_; }
    /// on_end: is called by end(); empty: nothing is being formed.
    void watch(std::function<void()> on_end) { on_end_ = std::move(on_end); }

  private:
    std::exception_ptr reason_;
    std::function<void()> on_end_;
};

/// The place of a rank among its peers, and how their connections are proved and protected.
struct TcpFabricOptions {
    std::int64_t rank = 0;
    /// The endpoint where each rank listens; their number is the world size.
    std::vector<boost::asio::ip::tcp::endpoint> endpoints;
    RunSecret secret;  ///< a connection of somebody who does not know its key is dropped
    /// Seal the frames of all connections. Else only of those that leave the machine, since the sums of nodes
    /// on one machine are as fast as its memory, and a seal reads all bytes once more at both ends.
    bool always_seal = false;
    /// All connections are under TLS, and none has seals. Absent: none is.
    std::optional<TlsContext> tls = {};
    std::vector<std::int64_t> send_to = {}, receive_from = {};  ///< the peers of links in each direction
    /// Connections to each peer; each connection belongs to a fabric of its own.
    std::int64_t connections = 1;
    Clock::duration formation_deadline = std::chrono::seconds(30);
    /// Time in which an incoming connection must prove that it belongs to the run.
    Clock::duration greeting_deadline = WaitingRoom::patience;
    FabricOptions fabric = {};
    std::shared_ptr<FormationEnd> end = {};  ///< null: nobody ends it
};

/// Connects to each rank of send_to and accepts each rank of receive_from, `connections` times, and returns
/// one fabric for each of these connections. Both sides of a connection first prove that they belong to the
/// run (hello_exchange.hpp). A connection of a stranger is dropped and does not delay the others
/// (WaitingRoom), and a connection that is dropped among them is tried again. Throws a ClusterError that
/// names the nodes that are missing at the deadline, or the node that refuses or belongs to another run.
/// Throws DisagreementError if a node has another version, and the reason of FormationEnd if that ends it.
boost::asio::awaitable<std::vector<std::unique_ptr<Fabric>>> form_tcp_fabrics(
    boost::asio::ip::tcp::acceptor acceptor, TcpFabricOptions options);

}  // namespace convoy
