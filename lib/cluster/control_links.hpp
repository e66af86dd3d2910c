#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cluster/membership_events.hpp"
#include "net/message_channel.hpp"

namespace convoy {

/// The launcher's side of the control connections: takes connections, and turns bytes into events of the
/// membership machine. Lives on one thread, that of its io_context.
class ControlLinks {
  public:
    using OnEvent = std::function<void(MembershipEvent event)>;

    /// on_event: told of connections and messages. An exception that is no error of a peer leaves io.run().
    ControlLinks(boost::asio::io_context& io, OnEvent on_event);

    /// Takes connections at address, on this port; 0: a free one. Returns where, as HOST:PORT. Throws
    /// ClusterError where the address or the port is not to be had.
    std::string open(const boost::asio::ip::address& address, std::uint16_t port);
    /// Takes no more connections.
    void close_door();

    /// Sends a message. Where the connection is lost, its Closed event says so.
    void send(ConnectionId connection, nlohmann::json message);
    /// The connection is a member's: it is called so in errors, and its messages may be large.
    void admit(ConnectionId connection, const std::string& label);
    /// Says why, and closes the connection.
    void refuse(ConnectionId connection, const messages::Problem& problem);
    void close(ConnectionId connection);
    /// Closes the door and all connections.
    void close_all();

  private:
    using Task = boost::asio::awaitable<void>;
    struct Link;
    using SharedLink = std::shared_ptr<Link>;

    Task accept();
    Task listen_to(SharedLink link);
    Task say_and_close(SharedLink link, nlohmann::json message);
    void spawn(Task task);
    [[nodiscard]] SharedLink find(ConnectionId connection) const;

    boost::asio::io_context& io_;
    OnEvent on_event_;
    boost::asio::ip::tcp::acceptor acceptor_;
    ConnectionId last_ = 0;
    std::map<ConnectionId, SharedLink> links_;
};

}  // namespace convoy
