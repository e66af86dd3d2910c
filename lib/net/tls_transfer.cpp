#include "net/tls_transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/write.hpp>
#include <exception>

#include "net/as_outcome.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;
using GenericSocket = asio::generic::stream_protocol::socket;

namespace {

template <class Socket>
awaitable<error_code> flush(Socket& socket, TlsSession& session) {
    const auto bytes = session.outgoing();
    if (bytes.empty()) co_return error_code{};
    const auto [problem, count] =
        co_await asio::async_write(socket, asio::buffer(bytes.data(), bytes.size()), as_outcome);
    session.sent(count);
    co_return problem;
}

template <class Socket>
awaitable<error_code> fetch(Socket& socket, TlsSession& session) {
    const auto room = session.room();
    const auto [problem, count] =
        co_await socket.async_read_some(asio::buffer(room.data(), room.size()), as_outcome);
    session.arrived(count);
    co_return problem;
}

template <class Socket>
awaitable<error_code> send_all(Socket& socket, TlsSession& session, std::span<const std::byte> first,
                               std::span<const std::byte> second) {
    do {
        const auto count = std::min(second.size(), TlsSession::piece_bytes);
        if (!session.encrypt(first, second.first(count))) co_return asio::error::connection_aborted;
        first = {};
        second = second.subspan(count);
        if (const auto problem = co_await flush(socket, session)) co_return problem;
    } while (!second.empty());
    co_return error_code{};
}

template <class Socket>
awaitable<error_code> receive_all(Socket& socket, TlsSession& session, std::span<std::byte> into) {
    while (true) {
        into = into.subspan(session.decrypt(into));
        if (into.empty()) co_return error_code{};
        if (session.is_ended()) co_return asio::error::eof;
        if (const auto problem = co_await fetch(socket, session)) co_return problem;
    }
}

}  // namespace

awaitable<error_code> shake_hands(tcp::socket& socket, TlsSession& session, std::string peer) {
    while (true) {
        std::exception_ptr refusal;
        bool done = false;
        try {
            done = session.shake_hands();
        } catch (const TlsError& error) {
            refusal = std::make_exception_ptr(TlsError(fmt::format("{}: {}", peer, error.what())));
        } catch (const CertificateError& error) {
            refusal = std::make_exception_ptr(CertificateError(fmt::format("{}: {}", peer, error.what())));
        }
        const auto gone = co_await flush(socket, session);
        if (refusal) std::rethrow_exception(refusal);
        if (gone) co_return gone;
        if (done) co_return error_code{};
        if (const auto problem = co_await fetch(socket, session)) co_return problem;
    }
}

awaitable<error_code> send_encrypted(tcp::socket& socket, TlsSession& session,
                                     std::span<const std::byte> first, std::span<const std::byte> second) {
    return send_all(socket, session, first, second);
}

awaitable<error_code> send_encrypted(GenericSocket& socket, TlsSession& session,
                                     std::span<const std::byte> first, std::span<const std::byte> second) {
    return send_all(socket, session, first, second);
}

awaitable<error_code> receive_decrypted(tcp::socket& socket, TlsSession& session, std::span<std::byte> into) {
    return receive_all(socket, session, into);
}

awaitable<error_code> receive_decrypted(GenericSocket& socket, TlsSession& session,
                                        std::span<std::byte> into) {
    return receive_all(socket, session, into);
}

void rethrow_with_peer(const TlsError& error, std::string_view peer) {
    throw TlsError(fmt::format("{}: {}", peer, error.what()));
}

}  // namespace convoy
