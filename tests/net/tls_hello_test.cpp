#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "net/as_outcome.hpp"
#include "net/frame.hpp"
#include "net/hello_exchange.hpp"
#include "net/message_channel.hpp"
#include "net/tcp_fabric.hpp"
#include "net/tls_transfer.hpp"
#include "support/old_tls.hpp"

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using namespace convoy;
using Catch::Contains;

namespace {

const RunId run_9{std::byte{9}};
const Hello from_2_to_1{.world_size = 3, .from_rank = 2, .to_rank = 1};
constexpr std::size_t whole_greeting = frame_header_bytes + greeting_bytes;

std::vector<std::byte> key_bytes_of(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

struct Ends {
    asio::io_context& io;
    tcp::socket connector, acceptor;
    explicit Ends(asio::io_context& context) : io(context), connector(context), acceptor(context) {
        auto listening = listen_on(io.get_executor(), asio::ip::address_v4::loopback());
        connector.connect(listening.local_endpoint());
        listening.accept(acceptor);
    }
};

awaitable<Session> accept_by(tcp::socket& socket, std::string key, std::optional<TlsContext> tls) {
    const auto bytes = key_bytes_of(key);
    try {
        auto session = co_await hear_hello(socket, run_9, bytes, "the connector", tls);
        co_await answer_hello(socket, session, true, bytes, "the connector");
        co_return session;
    } catch (...) {
        socket.close();
        throw;
    }
}

awaitable<Session> connect_by(tcp::socket& socket, std::string key, ConnectorTls tls) {
    const auto bytes = key_bytes_of(key);
    try {
        co_return co_await say_hello(socket, from_2_to_1, bytes, "the acceptor", tls);
    } catch (...) {
        socket.close();
        throw;
    }
}

std::future<Session> accepts(Ends& ends, const std::string& key, std::optional<TlsContext> tls) {
    return asio::co_spawn(ends.io, accept_by(ends.acceptor, key, std::move(tls)), asio::use_future);
}
std::future<Session> connects(Ends& ends, const std::string& key, ConnectorTls tls) {
    return asio::co_spawn(ends.io, connect_by(ends.connector, key, std::move(tls)), asio::use_future);
}

/// What an operation throws, with its exit code before it.
template <class T>
std::string refusal_of(std::future<T>& future) {
    try {
        future.get();
    } catch (const Error& error) {
        return std::to_string(static_cast<int>(error.code())) + " " + error.what();
    }
    return "none";
}

/// Speaks TLS with both, with certificates of its own, and carries what is under it from one to the other.
awaitable<void> stand_between(tcp::socket& to_acceptor, tcp::socket& to_connector) {
    const TlsContext own;
    TlsSession with_acceptor(own, TlsSide::connector, ""), with_connector(own, TlsSide::acceptor, "");
    std::array<std::byte, whole_greeting> greeting{};
    co_await asio::async_read(to_acceptor, asio::buffer(greeting), asio::use_awaitable);
    co_await asio::async_write(to_connector, asio::buffer(greeting), asio::use_awaitable);
    co_await shake_hands(to_acceptor, with_acceptor, "the acceptor");
    co_await shake_hands(to_connector, with_connector, "the connector");
    std::array<std::byte, frame_header_bytes + hello_bytes> hello{};
    co_await receive_decrypted(to_connector, with_connector, hello);
    co_await send_encrypted(to_acceptor, with_acceptor, hello, {});
    std::array<std::byte, frame_header_bytes + answer_bytes> answer{};
    co_await receive_decrypted(to_acceptor, with_acceptor, answer);
    co_await send_encrypted(to_connector, with_connector, answer, {});
}

/// Carries bytes until one side ends. Changes the last one of the next piece where it is told to.
awaitable<void> carry(tcp::socket& from, tcp::socket& to, bool& changes) {
    std::array<std::byte, 4096> piece{};
    while (true) {
        const auto [end, count] = co_await from.async_read_some(asio::buffer(piece), as_outcome);
        if (end) break;
        if (std::exchange(changes, false)) piece.at(count - 1) ^= std::byte{1};
        co_await asio::async_write(to, asio::buffer(piece, count), as_outcome);
    }
    boost::system::error_code ignored;
    to.shutdown(tcp::socket::shutdown_send, ignored);
}

template <class T>
void run_until(asio::io_context& io, std::future<T>& done) {
    while (done.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io.run_one();
}

}  // namespace

TEST_CASE("two sides with one key meet under TLS, without seals, and messages go through it") {
    asio::io_context io;
    Ends ends(io);
    const bool required = GENERATE(true, false);
    auto heard = accepts(ends, "key", TlsContext());
    auto said = connects(ends, "key", {.context = TlsContext(), .required = required});
    io.run();
    auto here = heard.get(), there = said.get();
    REQUIRE((here.tls && there.tls));
    CHECK_FALSE((here.sealed || there.sealed));
    CHECK(here.hello.from_rank == 2);
    MessageChannel left(std::move(ends.acceptor), "left"), right(std::move(ends.connector), "right");
    left.encrypt(std::move(here.tls));
    right.encrypt(std::move(there.tls));
    const std::string much(300'000, 'x');
    auto sent = asio::co_spawn(io, left.send({{"text", much}}), asio::use_future);
    auto received = asio::co_spawn(io, right.receive(), asio::use_future);
    io.restart();
    io.run();
    sent.get();
    CHECK(received.get().at("text") == much);
}

TEST_CASE("a byte of a message that is changed on its way ends the session of TLS, in both directions") {
    asio::io_context io;
    Ends one(io), other(io);
    bool changes = false, never = false;
    asio::co_spawn(io, carry(one.acceptor, other.connector, changes), asio::detached);
    asio::co_spawn(io, carry(other.connector, one.acceptor, never), asio::detached);
    auto heard = accepts(other, "key", TlsContext());
    auto said = connects(one, "key", {.context = TlsContext()});
    run_until(io, heard);
    run_until(io, said);
    auto here = heard.get(), there = said.get();
    MessageChannel left(std::move(other.acceptor), "the connector"), right(std::move(one.connector), "right");
    left.encrypt(std::move(here.tls));
    right.encrypt(std::move(there.tls));
    changes = true;
    auto sent = asio::co_spawn(io, right.send({{"text", "x"}}), asio::use_future);
    auto received = asio::co_spawn(io, left.receive(), asio::use_future);
    run_until(io, received);
    CHECK_THAT(refusal_of(received), Contains("65 the connector: bytes were changed on their way here"));
    auto answer = asio::co_spawn(io, left.send({{"text", "y"}}), asio::use_future);
    run_until(io, answer);
    CHECK_THAT(refusal_of(answer), Contains("74 the connector: the connection is lost"));
    run_until(io, sent);
    sent.get();
}

TEST_CASE("a wrong key is refused under TLS as without it") {
    asio::io_context io;
    Ends ends(io);
    auto heard = accepts(ends, "key", TlsContext());
    auto said = connects(ends, "kez", {.context = TlsContext()});
    io.run();
    CHECK_THAT(refusal_of(heard),
               Contains("69 the connector: is of another run, or does not know its token"));
    CHECK_THAT(refusal_of(said), Contains("69 the acceptor: is of another run, or does not know its token"));
}

TEST_CASE("somebody between two sides with certificates of his own is refused by both") {
    asio::io_context io;
    Ends one(io), other(io);
    auto heard = accepts(other, "key", TlsContext());
    auto said = connects(one, "key", {.context = TlsContext(), .required = true});
    auto between = asio::co_spawn(io, stand_between(other.connector, one.acceptor), asio::use_future);
    io.run();
    between.get();
    CHECK_THAT(refusal_of(heard), Contains("or somebody is between the two"));
    CHECK_THAT(refusal_of(said), Contains("or somebody is between the two"));
}

TEST_CASE("a side with TLS and one without refuse each other, and both say why") {
    asio::io_context io;
    Ends ends(io);
    SECTION("the side that connects wants it") {
        auto heard = accepts(ends, "key", std::nullopt);
        auto said = connects(ends, "key", {.context = TlsContext(), .required = true});
        io.run();
        CHECK(refusal_of(heard) == "76 the connector: wants TLS, and this run has none; see --tls");
        CHECK(refusal_of(said) == "76 the acceptor: has no TLS, and this side wants it; see --tls");
    }
    SECTION("the side that listens has it") {
        auto heard = accepts(ends, "key", TlsContext());
        auto said = connects(ends, "key", {});
        io.run();
        CHECK_THAT(refusal_of(heard), Contains("ended the connection in its handshake"));
        CHECK(refusal_of(said) == "76 the acceptor: has TLS, and this run has none");
    }
}

TEST_CASE("a greeting that loses its offer of TLS on the way is refused by both") {
    asio::io_context io;
    Ends one(io), other(io);
    auto heard = accepts(other, "key", TlsContext());
    auto said = connects(one, "key", {.context = TlsContext()});
    const auto carried = [&]() -> awaitable<void> {
        std::array<std::byte, whole_greeting> greeting{};
        co_await asio::async_read(other.connector, asio::buffer(greeting), asio::use_awaitable);
        greeting[frame_header_bytes + sizeof(RunId) + sizeof(Nonce)] = std::byte{0};
        co_await asio::async_write(one.acceptor, asio::buffer(greeting), asio::use_awaitable);
        std::array<std::byte, frame_header_bytes + hello_bytes> hello{};
        co_await asio::async_read(one.acceptor, asio::buffer(hello), asio::use_awaitable);
        co_await asio::async_write(other.connector, asio::buffer(hello), asio::use_awaitable);
        one.acceptor.close();
    };
    auto between = asio::co_spawn(io, carried(), asio::use_future);
    io.run();
    between.get();
    CHECK_THAT(refusal_of(heard), Contains("65 the connector: does not speak TLS 1.3"));
    CHECK_THAT(refusal_of(said), Contains("ended the connection"));
}

TEST_CASE("whoever does not begin TLS 1.3 behind the greeting is refused in one line") {
    asio::io_context io;
    Ends ends(io);
    auto heard = accepts(ends, "key", TlsContext());
    const auto [bytes, text] = GENERATE(Catch::Generators::table<std::vector<std::byte>, std::string>(
        {{key_bytes_of("GET / HTTP/1.1\r\nHost: convoy.example\r\n\r\n"),
          "65 the connector: does not speak TLS"},
         {std::vector<std::byte>(5000, std::byte{0x16}), "65 the connector: does not speak TLS"},
         {std::vector<std::byte>(100), "65 the connector: does not speak TLS"},
         {test::hello_of_tls_1_2(), "65 the connector: does not speak TLS 1.3: unsupported protocol"}}));
    asio::write(ends.connector, asio::buffer(bytes));
    io.run();
    CHECK_THAT(refusal_of(heard), Contains(text));
}

TEST_CASE("a connection that ends in the handshake of TLS has hung up") {
    asio::io_context io;
    Ends ends(io);
    auto heard = accepts(ends, "key", TlsContext());
    const auto said = test::hello_of_tls_1_2();
    asio::write(ends.connector, asio::buffer(said.data(), GENERATE(0U, 1U, 4U, 60U)));
    ends.connector.shutdown(tcp::socket::shutdown_send);
    io.run();
    CHECK_THROWS_AS(heard.get(), HungUpError);
}
