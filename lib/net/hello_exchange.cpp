#include "net/hello_exchange.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>
#include <utility>

#include "base/error.hpp"
#include "net/as_outcome.hpp"
#include "net/frame.hpp"
#include "net/tls_transfer.hpp"

namespace convoy {
namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

void check(const error_code& problem, std::string_view peer) {
    if (problem)
        throw HungUpError(
            fmt::format("{}: ended the connection in its handshake: {}", peer, problem.message()));
}

/// tls: null before it begins, and without it.
template <std::size_t Size>
awaitable<void> send_frame(tcp::socket& socket, TlsSession* tls, FrameKind kind,
                           std::array<std::byte, Size> payload, std::string_view peer) {
    const auto header = encode_frame_header({.kind = kind, .payload_bytes = Size});
    if (tls != nullptr) {
        check(co_await send_encrypted(socket, *tls, header, payload), peer);
        co_return;
    }
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(header), asio::buffer(payload)};
    const auto [problem, count] = co_await asio::async_write(socket, buffers, as_outcome);
    check(problem, peer);
}

awaitable<void> receive_bytes(tcp::socket& socket, TlsSession* tls, std::span<std::byte> into,
                              std::string_view peer) {
    if (tls == nullptr) {
        const auto [problem, count] =
            co_await asio::async_read(socket, asio::buffer(into.data(), into.size()), as_outcome);
        check(problem, peer);
        co_return;
    }
    try {
        check(co_await receive_decrypted(socket, *tls, into), peer);
    } catch (const TlsError& error) {
        rethrow_with_peer(error, peer);
    } catch (const CertificateError& error) {
        throw CertificateError(fmt::format("{}: {}", peer, error.what()));
    }
}

template <std::size_t Size>
awaitable<std::array<std::byte, Size>> receive_frame(tcp::socket& socket, TlsSession* tls, FrameKind kind,
                                                     std::string_view peer) {
    FrameHeaderBytes bytes{};
    co_await receive_bytes(socket, tls, bytes, peer);
    const auto header = decode_frame_header(bytes, Size, peer);
    if (header.kind != kind || header.payload_bytes != Size)
        throw DataError(fmt::format("{}: does not begin as a convoy node", peer));
    std::array<std::byte, Size> payload{};
    co_await receive_bytes(socket, tls, payload, peer);
    co_return payload;
}

/// Begins TLS behind a greeting that says so.
awaitable<void> begin_tls(tcp::socket& socket, Session& session, TlsSide side, const TlsContext& context,
                          const std::string& host, const std::string& peer) {
    auto tls = std::make_unique<TlsSession>(context, side, host);
    const auto problem = co_await shake_hands(socket, *tls, peer);
    check(problem, peer);
    session.tls = std::move(tls);
}

/// What a proof covers of a TLS session: nothing without one.
std::span<const std::byte> covered(const std::optional<TlsBinding>& binding) {
    return binding ? std::span<const std::byte>(*binding) : std::span<const std::byte>();
}

[[noreturn]] void throw_stranger(std::string_view peer, bool with_tls) {
    throw ClusterError(fmt::format("{}: is of another run, or does not know its token{}", peer,
                                   with_tls ? ", or somebody is between the two" : ""));
}

}  // namespace

awaitable<Session> hear_hello(tcp::socket& socket, RunId run, std::span<const std::byte> key,
                              std::string peer, std::optional<TlsContext> tls) {
    Session session;
    const std::string no_host;
    session.greeting.run = run;
    session.greeting.tls = tls.has_value();
    fill_with_random(session.greeting.nonce);
    co_await send_frame(socket, nullptr, FrameKind::greeting, encode_greeting(session.greeting), peer);
    if (tls) co_await begin_tls(socket, session, TlsSide::acceptor, *tls, no_host, peer);
    const auto said = co_await receive_frame<hello_bytes>(socket, session.tls.get(), FrameKind::hello, peer);
    session.hello = decode_hello(said, peer);
    const auto binding = session.binding();
    const bool proved = same_hmac(session.hello.proof,
                                  proof_of_connector(key, session.greeting, session.hello, covered(binding)));
    if (!proved) {
        co_await send_frame(socket, session.tls.get(), FrameKind::answer, encode_answer({}), peer);
        throw_stranger(peer, tls.has_value());
    }
    if (session.hello.wants_tls && !tls)
        throw DisagreementError(fmt::format("{}: wants TLS, and this run has none; see --tls", peer));
    co_return session;
}

awaitable<void> answer_hello(tcp::socket& socket, Session& session, bool wants_seal,
                             std::span<const std::byte> key, std::string peer) {
    session.sealed = !session.tls && (wants_seal || session.hello.wants_seal);
    session.keys = session_keys(key, session.greeting, session.hello, session.sealed);
    const auto binding = session.binding();
    const Answer answer{
        .sealed = session.sealed,
        .proof = proof_of_acceptor(key, session.greeting, session.hello, session.sealed, covered(binding))};
    co_await send_frame(socket, session.tls.get(), FrameKind::answer, encode_answer(answer), peer);
}

awaitable<Session> say_hello(tcp::socket& socket, Hello hello, std::span<const std::byte> key,
                             std::string peer, ConnectorTls tls) {
    Session session;
    const auto greeted = co_await receive_frame<greeting_bytes>(socket, nullptr, FrameKind::greeting, peer);
    session.greeting = decode_greeting(greeted, peer);
    const bool offered = session.greeting.tls;
    if (offered && !tls.context)
        throw DisagreementError(fmt::format("{}: has TLS, and this run has none", peer));
    if (offered) co_await begin_tls(socket, session, TlsSide::connector, *tls.context, tls.host, peer);
    fill_with_random(hello.nonce);
    hello.wants_tls = tls.required;
    const auto binding = session.binding();
    hello.proof = proof_of_connector(key, session.greeting, hello, covered(binding));
    session.hello = hello;
    co_await send_frame(socket, session.tls.get(), FrameKind::hello, encode_hello(hello), peer);
    if (tls.required && !offered)
        throw DisagreementError(fmt::format("{}: has no TLS, and this side wants it; see --tls", peer));
    const auto answered =
        co_await receive_frame<answer_bytes>(socket, session.tls.get(), FrameKind::answer, peer);
    const auto answer = decode_answer(answered, peer);
    session.sealed = answer.sealed;
    if (!same_hmac(answer.proof,
                   proof_of_acceptor(key, session.greeting, hello, answer.sealed, covered(binding))))
        throw_stranger(peer, offered);
    session.keys = session_keys(key, session.greeting, hello, answer.sealed);
    co_return session;
}

awaitable<Session> hear_hello(tcp::socket& socket, RunId run, std::span<const std::byte> key,
                              std::string peer) {
    return hear_hello(socket, run, key, std::move(peer), std::nullopt);
}

awaitable<Session> say_hello(tcp::socket& socket, Hello hello, std::span<const std::byte> key,
                             std::string peer) {
    return say_hello(socket, hello, key, std::move(peer), ConnectorTls());
}

bool leaves_machine(const asio::ip::address& here, const asio::ip::address& there) {
    return here != there && !(here.is_loopback() && there.is_loopback());
}

bool leaves_machine(const tcp::socket& socket) {
    error_code no_here, no_there;
    const auto here = socket.local_endpoint(no_here).address();
    const auto there = socket.remote_endpoint(no_there).address();
    return no_here || no_there || leaves_machine(here, there);
}

}  // namespace convoy
