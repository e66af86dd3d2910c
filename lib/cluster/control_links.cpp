#include "cluster/control_links.hpp"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "cluster/endpoint.hpp"
#include "net/hello_exchange.hpp"

namespace convoy {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

/// The largest hello. A member may send large weights.
constexpr std::size_t hello_limit_bytes = std::size_t{64} << 10U;
/// The wait for the last messages of a process that has ended.
constexpr auto last_message_time = 500ms;

tcp::acceptor acceptor_at(asio::io_context& io, const tcp::endpoint& endpoint) {
    tcp::acceptor acceptor(io);
    try {
        acceptor.open(endpoint.protocol());
        // A port that was given may still be held by connections of a run before.
        if (endpoint.port() != 0) acceptor.set_option(tcp::acceptor::reuse_address(true));
        acceptor.bind(endpoint);
        acceptor.listen();
    } catch (const boost::system::system_error& problem) {
        const auto place = endpoint.port() == 0 ? endpoint.address().to_string() : endpoint_text(endpoint);
        throw ClusterError(fmt::format("{}: cannot listen there: {}", place, problem.code().message()));
    }
    return acceptor;
}

messages::Hello decode_first(const nlohmann::json& message) {
    if (messages::type_of(message) != messages::type::hello)
        throw DataError("its first message is not a hello");
    return messages::decode_hello(message);
}

}  // namespace

struct ControlLinks::Link {
    Link(asio::io_context& io, ConnectionId number, std::string address, std::optional<std::int64_t> of_rank)
        : id(number), host(std::move(address)), rank(of_rank), end(io) {}

    ConnectionId id;
    std::string host;
    std::optional<std::int64_t> rank;         ///< of the process that the connection was made for
    std::optional<tcp::socket> stranger;      ///< until it has proved that it knows the token
    std::optional<std::int64_t> proven_rank;  ///< that a stranger wants by its proof; -1: any
    std::optional<MessageChannel> channel;
    bool admitted = false;
    asio::steady_timer end;  ///< cancelled when the last message was handled

    [[nodiscard]] std::string name() const { return fmt::format("a worker at {}", host); }
    void talk_over(StreamSocket socket) { channel.emplace(std::move(socket), name(), hello_limit_bytes); }
    void close() {
        boost::system::error_code ignored;
        if (stranger) stranger->close(ignored);
        if (channel) channel->close();
    }
};

ControlLinks::ControlLinks(asio::io_context& io, DoorKey key, OnEvent on_event)
    : io_(io), key_(std::move(key)), on_event_(std::move(on_event)), acceptor_(io) {}

std::string ControlLinks::open(const asio::ip::address& address, std::uint16_t port) {
    acceptor_ = acceptor_at(io_, {address, port});
    spawn(accept());
    return endpoint_text(acceptor_.local_endpoint());
}

void ControlLinks::close_door() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
}

void ControlLinks::send(ConnectionId connection, nlohmann::json message) {
    const auto link = find(connection);
    if (!link || !link->channel) return;
    spawn([](SharedLink to, nlohmann::json content) -> Task {
        try {
            co_await to->channel->send(std::move(content));
        } catch (const NodeLostError&) {
            // listen_to meets the same end and tells of it.
        }
    }(link, std::move(message)));
}

void ControlLinks::admit(ConnectionId connection, const std::string& label) {
    const auto link = find(connection);
    if (!link) return;
    link->admitted = true;
    link->channel->rename(label);
    link->channel->set_limit(most_message_bytes);
}

void ControlLinks::refuse(ConnectionId connection, const messages::Problem& problem) {
    const auto link = find(connection);
    if (!link) return;
    if (!link->channel) return link->close();
    spawn(say_and_close(link, messages::encode(messages::type::abort, problem)));
}

void ControlLinks::close(ConnectionId connection) {
    if (const auto link = find(connection)) link->close();
}

void ControlLinks::close_all() {
    close_door();
    for (const auto& [id, link] : links_) link->close();
}

ControlLinks::Task ControlLinks::accept() {
    asio::steady_timer pause(io_);
    while (acceptor_.is_open()) {
        tcp::socket socket(io_);
        const auto [error] = co_await acceptor_.async_accept(socket, asio::as_tuple(asio::use_awaitable));
        if (error && acceptor_.is_open()) {
            // Such as too many open files: others may leave, so it is worth another try.
            pause.expires_after(100ms);
            co_await pause.async_wait(asio::use_awaitable);
        }
        boost::system::error_code gone;
        const auto remote = error ? tcp::endpoint() : socket.remote_endpoint(gone);
        if (error || gone) continue;
        const auto link = std::make_shared<Link>(io_, ++last_, remote.address().to_string(), std::nullopt);
        link->stranger = std::move(socket);
        take(link);
    }
}

ConnectionId ControlLinks::adopt(Descriptor connection, std::int64_t rank, const std::string& host) {
    using asio::local::stream_protocol;
    stream_protocol::socket socket(io_);
    socket.assign(stream_protocol(), connection.get());
    [[maybe_unused]] const int owned_by_socket = connection.release();
    const auto link = std::make_shared<Link>(io_, ++last_, host, rank);
    link->talk_over(std::move(socket));
    take(link);
    return link->id;
}

void ControlLinks::after_last_message(ConnectionId connection, std::function<void()> then) {
    const auto link = find(connection);
    if (!link) return then();
    link->end.expires_after(last_message_time);
    link->end.async_wait(
        [call = std::move(then)](const boost::system::error_code& /*cancelled*/) { call(); });
}

void ControlLinks::take(SharedLink link) {
    links_[link->id] = link;
    spawn(listen_to(std::move(link)));
}

/// Lets a stranger prove that it knows the token. Throws ClusterError if it does not.
ControlLinks::Task ControlLinks::prove(SharedLink link) {
    const auto token = std::as_bytes(std::span(key_.token));
    auto& socket = *link->stranger;
    Session session;
    try {
        session = co_await hear_hello(socket, key_.run, token, link->name(), key_.tls);
    } catch (const HungUpError&) {
        throw;
    } catch (const CertificateError&) {
        throw;
    } catch (const ClusterError&) {
        throw ClusterError(key_.tls ? "it does not know this run's token, or somebody is between the two"
                                    : "it does not know this run's token");
    }
    if (session.hello.purpose != Purpose::join) throw DataError("it is a node, and not one that joins");
    co_await answer_hello(socket, session, true, token, link->name());
    link->talk_over(std::move(socket));
    if (session.tls) {
        link->channel->encrypt(std::move(session.tls));
    } else {
        link->channel->seal({.out = session.keys.to_connector, .in = session.keys.to_acceptor});
    }
    link->stranger.reset();
    link->proven_rank = session.hello.from_rank;
}

void ControlLinks::introduce_again(ConnectionId connection, std::int64_t rank) {
    const auto link = find(connection);
    if (!link) return;
    link->rank = rank;
    on_event_(event::Connected{.connection = link->id, .host = link->host, .rank = link->rank});
}

ControlLinks::Task ControlLinks::listen_to(SharedLink link) {
    try {
        on_event_(event::Connected{.connection = link->id, .host = link->host, .rank = link->rank});
        if (link->stranger) co_await prove(link);
        auto hello = decode_first(co_await link->channel->receive());
        if (link->proven_rank && hello.rank.value_or(-1) != *link->proven_rank)
            throw DataError("its hello names another rank than its proof");
        on_event_(event::HelloCame{.connection = link->id, .hello = std::move(hello)});
        while (link->admitted) {
            const auto message = co_await link->channel->receive();
            if (messages::type_of(message) == messages::type::hello) {  // see introduce_again
                on_event_(event::HelloCame{.connection = link->id, .hello = messages::decode_hello(message)});
            } else {
                on_event_(event::Said{.connection = link->id, .message = decode_member_message(message)});
            }
        }
    } catch (const NodeLostError& error) {
        on_event_(event::Closed{.connection = link->id, .how = error.what()});
    } catch (const HungUpError& error) {
        on_event_(event::Closed{.connection = link->id, .how = error.what()});
    } catch (const InternalError&) {
        throw;
    } catch (const Error& error) {
        on_event_(event::Garbled{.connection = link->id,
                                 .problem = {.code = error.code(), .message = error.what()}});
    }
    links_.erase(link->id);
    link->end.cancel();
}

ControlLinks::Task ControlLinks::say_and_close(SharedLink link, nlohmann::json message) {
    try {
        co_await link->channel->send(std::move(message));
    } catch (const NodeLostError&) {
        // The other side did not wait for the answer.
    }
    link->close();
}

void ControlLinks::spawn(Task task) {
    asio::co_spawn(io_, std::move(task), [](const std::exception_ptr& thrown) {
        if (thrown) std::rethrow_exception(thrown);
    });
}

ControlLinks::SharedLink ControlLinks::find(ConnectionId connection) const {
    const auto found = links_.find(connection);
    return found == links_.end() ? nullptr : found->second;
}

}  // namespace convoy
