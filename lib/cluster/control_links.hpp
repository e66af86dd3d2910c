#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "cluster/membership_events.hpp"
#include "net/message_channel.hpp"
#include "net/session.hpp"

namespace convoy {

/// The launcher's side of the control connections: takes connections, and turns bytes into events of the
/// membership machine. Lives on one thread, that of its io_context.
class ControlLinks {
  public:
    using OnEvent = std::function<void(MembershipEvent event)>;

    /// What somebody at the door must know.
    struct DoorKey {
        RunId run{};
        std::string token;
        std::optional<TlsContext> tls = {};  ///< absent: no TLS
    };

    /// on_event: called for connections and messages. An exception that is not a peer's error leaves
    /// io.run().
    ControlLinks(boost::asio::io_context& io, DoorKey key, OnEvent on_event);

    /// Accepts connections at this address and port; port 0: any free port. Each must prove that it knows the
    /// token (hello_exchange.hpp) before anything else of it is read. Returns the endpoint as HOST:PORT.
    /// Throws ClusterError if the address or the port cannot be used.
    std::string open(const boost::asio::ip::address& address, std::uint16_t port);
    /// Takes the launcher's end of the connection to the process of a rank. host: the address of this
    /// process for its peers.
    ConnectionId adopt(Descriptor connection, std::int64_t rank, const std::string& host);
    /// Calls `then` when the last message of a connection was handled. The other side's process has ended:
    /// what it said before lies unread for a while. If some process still holds its end open, `then` is
    /// called after half a second.
    void after_last_message(ConnectionId connection, std::function<void()> then);
    /// Begins anew with a member's connection: its process is now that of this rank, and says hello again.
    void introduce_again(ConnectionId connection, std::int64_t rank);
    /// Stops accepting connections.
    void close_door();

    /// Sends a message to a connection whose hello has come, or that was adopted. If the connection is lost,
    /// a Closed event follows.
    void send(ConnectionId connection, nlohmann::json message);
    /// Marks a connection as a member's. Errors name it by `label`, and its messages may be large.
    void admit(ConnectionId connection, const std::string& label);
    /// Sends the problem, if the other side has proved that it knows the token, and closes the connection.
    void refuse(ConnectionId connection, const messages::Problem& problem);
    void close(ConnectionId connection);
    /// Closes the door and all connections.
    void close_all();

  private:
    using Task = boost::asio::awaitable<void>;
    struct Link;
    using SharedLink = std::shared_ptr<Link>;

    Task accept();
    void take(SharedLink link);
    Task prove(SharedLink link);
    Task listen_to(SharedLink link);
    Task say_and_close(SharedLink link, nlohmann::json message);
    void spawn(Task task);
    [[nodiscard]] SharedLink find(ConnectionId connection) const;

    boost::asio::io_context& io_;
    DoorKey key_;
    OnEvent on_event_;
    boost::asio::ip::tcp::acceptor acceptor_;
    ConnectionId last_ = 0;
    std::map<ConnectionId, SharedLink> links_;
};

}  // namespace convoy
