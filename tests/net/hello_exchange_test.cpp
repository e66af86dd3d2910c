#include "net/hello_exchange.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <functional>
#include <future>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "net/frame.hpp"
#include "net/tcp_fabric.hpp"

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using namespace convoy;

namespace {

constexpr std::size_t greeting_frame = frame_header_bytes + greeting_bytes,
                      hello_frame = frame_header_bytes + hello_bytes,
                      answer_frame = frame_header_bytes + answer_bytes;
const RunId run_7{std::byte{7}};
const Hello from_1_to_0{.world_size = 2, .from_rank = 1, .to_rank = 0};

std::vector<std::byte> key_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

struct TwoSockets {
    tcp::socket connector, acceptor;
};

TwoSockets two_sockets(asio::io_context& io) {
    auto listening = listen_on(io.get_executor(), asio::ip::address_v4::loopback());
    tcp::socket connector(io);
    connector.connect(listening.local_endpoint());
    return {std::move(connector), listening.accept()};
}

awaitable<Session> accept_session(tcp::socket& socket, std::vector<std::byte> key, bool wants_seal = false) {
    try {
        auto session = co_await hear_hello(socket, run_7, key, "the connector");
        co_await answer_hello(socket, session, wants_seal, key, "the connector");
        co_return session;
    } catch (...) {
        socket.close();
        throw;
    }
}

awaitable<Session> connect_session(tcp::socket& socket, std::vector<std::byte> key,
                                   Hello hello = from_1_to_0) {
    try {
        co_return co_await say_hello(socket, hello, key, "the acceptor");
    } catch (...) {
        socket.close();
        throw;
    }
}

/// Carries the frames of a handshake from one to the other, and changes bits of one byte on the way.
awaitable<void> carry(tcp::socket& to_acceptor, tcp::socket& to_connector, std::size_t changed,
                      std::vector<std::byte>* recorded, std::byte bits = std::byte{4}) {
    std::size_t carried = 0;
    for (const auto size : {greeting_frame, hello_frame, answer_frame}) {
        auto& from = size == hello_frame ? to_connector : to_acceptor;
        auto& to = size == hello_frame ? to_acceptor : to_connector;
        std::vector<std::byte> frame(size);
        try {
            co_await asio::async_read(from, asio::buffer(frame), asio::use_awaitable);
            if (recorded != nullptr && size == hello_frame) *recorded = frame;
            if (changed >= carried && changed < carried + size) frame[changed - carried] ^= bits;
            co_await asio::async_write(to, asio::buffer(frame), asio::use_awaitable);
        } catch (const boost::system::system_error&) {
            break;  // one side refused, and hung up
        }
        carried += size;
    }
    to_acceptor.close();
    to_connector.close();
}

template <class T>
std::optional<T> outcome(std::future<T>& future) {
    try {
        return future.get();
    } catch (const Error&) {
        return std::nullopt;
    }
}

template <std::size_t Size>
void send_frame(tcp::socket& socket, FrameKind kind, const std::array<std::byte, Size>& payload) {
    asio::write(socket, asio::buffer(encode_frame_header({.kind = kind, .payload_bytes = Size})));
    asio::write(socket, asio::buffer(payload));
}

}  // namespace

TEST_CASE("two sides that know the key meet with the same keys") {
    asio::io_context io;
    auto pair = two_sockets(io);
    const bool connector_wants = GENERATE(true, false), acceptor_wants = GENERATE(true, false);
    auto hello = from_1_to_0;
    hello.wants_seal = connector_wants;
    auto heard =
        asio::co_spawn(io, accept_session(pair.acceptor, key_of("key"), acceptor_wants), asio::use_future);
    auto said = asio::co_spawn(io, connect_session(pair.connector, key_of("key"), hello), asio::use_future);
    io.run();
    const auto here = heard.get(), there = said.get();
    CHECK(here.hello.from_rank == 1);
    CHECK(there.greeting.run == run_7);
    CHECK(here.sealed == (connector_wants || acceptor_wants));
    CHECK(there.sealed == here.sealed);
    CHECK(here.keys.to_acceptor == there.keys.to_acceptor);
    CHECK(here.keys.to_connector == there.keys.to_connector);
    CHECK(here.keys.to_connector != here.keys.to_acceptor);
}

TEST_CASE("two sides with different keys refuse each other, and both know why") {
    asio::io_context io;
    auto pair = two_sockets(io);
    auto heard = asio::co_spawn(io, accept_session(pair.acceptor, key_of("key")), asio::use_future);
    auto said = asio::co_spawn(io, connect_session(pair.connector, key_of("kez")), asio::use_future);
    io.run();
    CHECK_THROWS_WITH(heard.get(), "the connector: is of another run, or does not know its token");
    CHECK_THROWS_WITH(said.get(), "the acceptor: is of another run, or does not know its token");
}

TEST_CASE("a byte that is changed in a handshake ends it") {
    constexpr auto all = greeting_frame + hello_frame + answer_frame;
    auto hello = from_1_to_0;
    hello.wants_seal = true;
    for (std::size_t step = 0; step <= 2 * all; ++step) {
        // The lowest bit too: that of a flag, so that it says otherwise and is well-formed.
        const auto changed = step / 2;
        const auto bits = step % 2 == 0 ? std::byte{1} : std::byte{0x80};
        asio::io_context io;
        auto one = two_sockets(io), other = two_sockets(io);
        auto heard = asio::co_spawn(io, accept_session(other.acceptor, key_of("key")), asio::use_future);
        auto said =
            asio::co_spawn(io, connect_session(one.connector, key_of("key"), hello), asio::use_future);
        auto carried = asio::co_spawn(io, carry(other.connector, one.acceptor, changed, nullptr, bits),
                                      asio::use_future);
        io.run();
        carried.get();
        INFO("byte " << changed);
        CHECK(outcome(said).has_value() == (changed == all));
        CHECK(outcome(heard).has_value() == (changed >= greeting_frame + hello_frame));
    }
}

TEST_CASE("a hello that was recorded is worth nothing to another greeting") {
    asio::io_context io;
    std::vector<std::byte> recorded;
    auto one = two_sockets(io), other = two_sockets(io);
    auto heard = asio::co_spawn(io, accept_session(other.acceptor, key_of("key")), asio::use_future);
    auto said = asio::co_spawn(io, connect_session(one.connector, key_of("key")), asio::use_future);
    auto carried =
        asio::co_spawn(io, carry(other.connector, one.acceptor, 1000, &recorded), asio::use_future);
    io.run();
    heard.get(), said.get(), carried.get();

    auto again = two_sockets(io);
    asio::write(again.connector, asio::buffer(recorded));
    auto refused = asio::co_spawn(io, accept_session(again.acceptor, key_of("key")), asio::use_future);
    io.restart();
    io.run();
    CHECK_THROWS_AS(refused.get(), ClusterError);
}

TEST_CASE("the answer of the side that listens is no proof of the other side") {
    asio::io_context io;
    const auto key = key_of("key");
    auto pair = two_sockets(io);
    auto said = asio::co_spawn(io, connect_session(pair.connector, key), asio::use_future);
    send_frame(pair.acceptor, FrameKind::greeting, encode_greeting({}));
    while (pair.acceptor.available() < hello_frame) io.poll();
    std::array<std::byte, hello_frame> bytes{};
    asio::read(pair.acceptor, asio::buffer(bytes));
    const auto hello = decode_hello(std::span(bytes).last<hello_bytes>(), "x");
    send_frame(pair.acceptor, FrameKind::answer, encode_answer({.sealed = false, .proof = hello.proof}));
    io.run();
    CHECK_THROWS_AS(said.get(), ClusterError);
}

TEST_CASE("whoever does not begin with a hello is refused at the header of his first frame") {
    asio::io_context io;
    auto pair = two_sockets(io);
    const auto refused = [&](const FrameHeaderBytes& header) {
        asio::write(pair.connector, asio::buffer(header));
        auto heard = asio::co_spawn(io, accept_session(pair.acceptor, key_of("key")), asio::use_future);
        io.run();
        return heard;
    };
    SECTION("an older version") {
        auto header = encode_frame_header({.kind = FrameKind::hello, .payload_bytes = 41});
        header[4] = std::byte{2};
        auto heard = refused(header);
        CHECK_THROWS_AS(heard.get(), DisagreementError);
    }
    SECTION("another size or kind") {
        const auto [kind, size] = GENERATE(
            Catch::Generators::table<FrameKind, std::uint64_t>({{FrameKind::hello, std::uint64_t{1} << 63U},
                                                                {FrameKind::hello, hello_bytes + 1},
                                                                {FrameKind::hello, hello_bytes - 1},
                                                                {FrameKind::hello, 0},
                                                                {FrameKind::message, hello_bytes},
                                                                {FrameKind::answer, answer_bytes}}));
        auto heard = refused(encode_frame_header({.kind = kind, .payload_bytes = size}));
        CHECK_THROWS_AS(heard.get(), DataError);
    }
    SECTION("another protocol") {
        FrameHeaderBytes http{};
        std::ranges::copy(key_of("GET / HTTP/1.1\r\nHost: somewhere.example\r\nAccept:"), http.begin());
        auto heard = refused(http);
        CHECK_THROWS_AS(heard.get(), DataError);
    }
    SECTION("nothing") {
        pair.connector.close();
        auto heard = asio::co_spawn(io, accept_session(pair.acceptor, key_of("key")), asio::use_future);
        io.run();
        CHECK_THROWS_AS(heard.get(), HungUpError);
    }
}

TEST_CASE("a connection within one machine leaves it not") {
    asio::io_context io;
    const auto pair = two_sockets(io);
    CHECK_FALSE(leaves_machine(pair.connector));
    CHECK_FALSE(leaves_machine(pair.acceptor));
    CHECK(leaves_machine(tcp::socket(io)));
}

TEST_CASE("a connection to another address leaves the machine, unless both are of the loopback") {
    const auto leaves = [](const char* here, const char* there) {
        return leaves_machine(asio::ip::make_address(here), asio::ip::make_address(there));
    };
    CHECK(leaves("10.0.0.1", "10.0.0.2"));
    CHECK(leaves("127.0.0.1", "10.0.0.2"));
    CHECK(leaves("fe80::1", "fe80::2"));
    CHECK_FALSE(leaves("10.0.0.1", "10.0.0.1"));
    CHECK_FALSE(leaves("127.0.0.1", "127.3.2.1"));
    CHECK_FALSE(leaves("::1", "::1"));
}
