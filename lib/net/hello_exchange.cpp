#include "net/hello_exchange.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <cstddef>

#include "base/error.hpp"
#include "net/as_outcome.hpp"
#include "net/frame.hpp"

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

template <std::size_t Size>
awaitable<void> send_frame(tcp::socket& socket, FrameKind kind, std::array<std::byte, Size> payload,
                           std::string_view peer) {
    const auto header = encode_frame_header({.kind = kind, .payload_bytes = Size});
    const std::array<asio::const_buffer, 2> buffers{asio::buffer(header), asio::buffer(payload)};
    const auto [problem, count] = co_await asio::async_write(socket, buffers, as_outcome);
    check(problem, peer);
}

template <std::size_t Size>
awaitable<std::array<std::byte, Size>> receive_frame(tcp::socket& socket, FrameKind kind,
                                                     std::string_view peer) {
    FrameHeaderBytes bytes{};
    const auto [no_header, header_count] = co_await asio::async_read(socket, asio::buffer(bytes), as_outcome);
    check(no_header, peer);
    const auto header = decode_frame_header(bytes, Size, peer);
    if (header.kind != kind || header.payload_bytes != Size)
        throw DataError(fmt::format("{}: does not begin as a convoy node", peer));
    std::array<std::byte, Size> payload{};
    const auto [no_payload, payload_count] =
        co_await asio::async_read(socket, asio::buffer(payload), as_outcome);
    check(no_payload, peer);
    co_return payload;
}

}  // namespace

awaitable<Session> hear_hello(tcp::socket& socket, RunId run, std::span<const std::byte> key,
                              std::string peer) {
    Session session;
    session.greeting.run = run;
    fill_with_random(session.greeting.nonce);
    co_await send_frame(socket, FrameKind::greeting, encode_greeting(session.greeting), peer);
    const auto said = co_await receive_frame<hello_bytes>(socket, FrameKind::hello, peer);
    session.hello = decode_hello(said, peer);
    if (!same_hmac(session.hello.proof, proof_of_connector(key, session.greeting, session.hello))) {
        co_await send_frame(socket, FrameKind::answer, encode_answer({}), peer);
        throw ClusterError(fmt::format("{}: is of another run, or does not know its token", peer));
    }
    co_return session;
}

awaitable<void> answer_hello(tcp::socket& socket, Session& session, bool wants_seal,
                             std::span<const std::byte> key, std::string peer) {
    session.sealed = wants_seal || session.hello.wants_seal;
    session.keys = session_keys(key, session.greeting, session.hello, session.sealed);
    const Answer answer{.sealed = session.sealed,
                        .proof = proof_of_acceptor(key, session.greeting, session.hello, session.sealed)};
    co_await send_frame(socket, FrameKind::answer, encode_answer(answer), peer);
}

awaitable<Session> say_hello(tcp::socket& socket, Hello hello, std::span<const std::byte> key,
                             std::string peer) {
    Session session;
    const auto greeted = co_await receive_frame<greeting_bytes>(socket, FrameKind::greeting, peer);
    session.greeting = decode_greeting(greeted);
    fill_with_random(hello.nonce);
    hello.proof = proof_of_connector(key, session.greeting, hello);
    session.hello = hello;
    co_await send_frame(socket, FrameKind::hello, encode_hello(hello), peer);
    const auto answered = co_await receive_frame<answer_bytes>(socket, FrameKind::answer, peer);
    const auto answer = decode_answer(answered, peer);
    session.sealed = answer.sealed;
    if (!same_hmac(answer.proof, proof_of_acceptor(key, session.greeting, hello, answer.sealed)))
        throw ClusterError(fmt::format("{}: is of another run, or does not know its token", peer));
    session.keys = session_keys(key, session.greeting, hello, answer.sealed);
    co_return session;
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
