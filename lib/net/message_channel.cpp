#include "net/message_channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "net/as_outcome.hpp"
#include "net/frame.hpp"
#include "net/message.hpp"
#include "net/tls_transfer.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;
using nlohmann::json;

/// The connection and its send queue. Shared with the calls in flight, so that a channel may be destroyed
/// under them. Outside the unnamed namespace, as MessageChannel::Impl has one.
struct MessageConnection {
    StreamSocket socket;
    asio::steady_timer turn;  // never expires: cancelled to wake those who wait to send
    std::string peer;
    std::size_t limit_bytes;
    std::optional<FrameSeal> sealing = {}, checking = {};
    std::unique_ptr<TlsSession> tls = {};
    std::uint64_t next_place = 0, serving = 0;
    /// Of a send that failed. Boost.Asio may wait for ever in a send behind it: it tries again only when the
    /// kernel tells of room, and the kernel has told already that the connection is gone.
    boost::system::error_code send_problem;

    MessageConnection(StreamSocket connected, std::string peer_name, std::size_t limit)
        : socket(std::move(connected)),
          turn(socket.get_executor(), asio::steady_timer::time_point::max()),
          peer(std::move(peer_name)),
          limit_bytes(limit) {}

    void close() {
        boost::system::error_code ignored;
        socket.shutdown(StreamSocket::shutdown_both, ignored);
        socket.close(ignored);
    }

    void check(const boost::system::error_code& problem) const {
        if (!problem) return;
        if (problem == asio::error::eof) throw NodeLostError(fmt::format("{}: closed the connection", peer));
        throw NodeLostError(fmt::format("{}: the connection is lost: {}", peer, problem.message()));
    }
};
using SharedConnection = std::shared_ptr<MessageConnection>;

namespace {

/// Memory for a message grows by this much as its bytes arrive: announcing a length does not reserve it.
constexpr std::size_t receive_step_bytes = std::size_t{1} << 20U;

/// A place in the queue of senders, given up at the end of the scope also when sending fails.
class SendersTurn {
  public:
    explicit SendersTurn(MessageConnection& connection)
        : connection_(connection), number_(connection.next_place++) {}
    SendersTurn(const SendersTurn&) = delete;
    SendersTurn& operator=(const SendersTurn&) = delete;
    SendersTurn(SendersTurn&&) = delete;
    SendersTurn& operator=(SendersTurn&&) = delete;
    ~SendersTurn() {
        ++connection_.serving;
        connection_.turn.cancel();
    }
    [[nodiscard]] bool first() const { return connection_.serving == number_; }

  private:
    MessageConnection& connection_;
    std::uint64_t number_;
};

awaitable<void> send_on(SharedConnection connection, json message) {
    const auto payload = encode_message(message);
    if (payload.size() > connection->limit_bytes) {
        throw InternalError(fmt::format("{}: a message of {} bytes is above the limit of {}",
                                        connection->peer, payload.size(), connection->limit_bytes));
    }
    const auto header = encode_frame_header({.kind = FrameKind::message, .payload_bytes = payload.size()});
    const SendersTurn place(*connection);
    while (!place.first()) {
        co_await connection->turn.async_wait(as_outcome);
    }
    connection->check(connection->send_problem);
    if (connection->tls) {
        connection->send_problem =
            co_await send_encrypted(connection->socket, *connection->tls, header, payload);
        connection->check(connection->send_problem);
        co_return;
    }
    Seal seal{};
    if (connection->sealing) seal = connection->sealing->next(header, payload);
    const std::array<asio::const_buffer, 3> buffers{
        asio::buffer(header), asio::buffer(payload),
        asio::buffer(seal, connection->sealing ? seal.size() : std::size_t{0})};
    const auto [problem, written] = co_await asio::async_write(connection->socket, buffers, as_outcome);
    connection->send_problem = problem;
    connection->check(problem);
}

awaitable<void> read_exactly(MessageConnection& connection, asio::mutable_buffer into) {
    if (!connection.tls) {
        const auto [problem, read] = co_await asio::async_read(connection.socket, into, as_outcome);
        connection.check(problem);
        co_return;
    }
    try {
        const std::span bytes(static_cast<std::byte*>(into.data()), into.size());
        connection.check(co_await receive_decrypted(connection.socket, *connection.tls, bytes));
    } catch (const TlsError& error) {
        rethrow_with_peer(error, connection.peer);
    }
}

awaitable<json> receive_on(SharedConnection connection) {
    FrameHeaderBytes bytes{};
    co_await read_exactly(*connection, asio::buffer(bytes));
    const auto header = decode_frame_header(bytes, connection->limit_bytes, connection->peer);
    if (header.kind != FrameKind::message) {
        throw DataError(
            fmt::format("{}: sent a frame that is no message; is it a convoy node?", connection->peer));
    }
    std::vector<std::byte> payload;
    while (payload.size() < header.payload_bytes) {
        const auto old = payload.size();
        payload.resize(std::min<std::uint64_t>(header.payload_bytes, old + receive_step_bytes));
        co_await read_exactly(*connection, asio::buffer(payload.data() + old, payload.size() - old));
    }
    if (connection->checking) {
        Seal seal{};
        co_await read_exactly(*connection, asio::buffer(seal));
        if (!same_seal(seal, connection->checking->next(bytes, payload)))
            throw DataError(fmt::format(
                "{}: a message was changed on its way here; is somebody between the two?", connection->peer));
    }
    co_return decode_message(payload, connection->peer);
}

}  // namespace

struct MessageChannel::Impl {
    SharedConnection connection;
};

MessageChannel::MessageChannel(StreamSocket socket, std::string peer, std::size_t limit_bytes)
    : impl_(std::make_unique<Impl>(
          Impl{std::make_shared<MessageConnection>(std::move(socket), std::move(peer), limit_bytes)})) {
    // Only TCP has this option, and a socket that is gone already says so at the first send or receive.
    boost::system::error_code ignored;
    impl_->connection->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
}

MessageChannel::~MessageChannel() {
    close();
}

awaitable<void> MessageChannel::send(json message) {
    return send_on(impl_->connection, std::move(message));
}

awaitable<json> MessageChannel::receive() {
    return receive_on(impl_->connection);
}

void MessageChannel::close() {
    impl_->connection->close();
}

void MessageChannel::seal(const SealKeys& keys) {
    impl_->connection->sealing.emplace(keys.out);
    impl_->connection->checking.emplace(keys.in);
}

void MessageChannel::encrypt(std::unique_ptr<TlsSession> tls) {
    impl_->connection->tls = std::move(tls);
}

void MessageChannel::rename(std::string peer) {
    impl_->connection->peer = std::move(peer);
}

void MessageChannel::set_limit(std::size_t limit_bytes) {
    impl_->connection->limit_bytes = limit_bytes;
}

}  // namespace convoy
