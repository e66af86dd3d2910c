#include "net/message_channel.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "net/frame.hpp"

namespace asio = boost::asio;
using asio::ip::tcp;
using nlohmann::json;

namespace {

/// Two connected sockets over loopback.
struct Pair {
    asio::io_context io{1};
    tcp::socket left{io}, right{io};
    Pair() {
        tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        left.connect(acceptor.local_endpoint());
        right = acceptor.accept();
    }

    /// Runs a coroutine to its end, with whatever else was spawned, and gives its value or throws its error.
    template <typename Value>
    Value finish(asio::awaitable<Value> work) {
        auto future = asio::co_spawn(io, std::move(work), asio::use_future);
        io.restart();
        while (future.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io.run_one();
        return future.get();
    }
};

}  // namespace

TEST_CASE("messages arrive whole and in order, also from several senders") {
    Pair pair;
    convoy::MessageChannel left(std::move(pair.left), "left"), right(std::move(pair.right), "right");
    const std::string large(5'000'000, 'x');
    std::vector<std::future<void>> sends;
    for (int i = 0; i < 4; ++i) {
        sends.push_back(
            asio::co_spawn(pair.io, left.send({{"number", i}, {"text", large}}), asio::use_future));
    }
    for (int i = 0; i < 4; ++i) {
        const auto message = pair.finish(right.receive());
        CHECK(message.at("number") == i);
        CHECK(message.at("text") == large);
    }
    pair.io.run();
    for (auto& send : sends) CHECK_NOTHROW(send.get());
}

TEST_CASE("binary values survive") {
    Pair pair;
    convoy::MessageChannel left(std::move(pair.left), "left"), right(std::move(pair.right), "right");
    const json message = {{"weights", json::binary({0, 255, 7})}, {"nothing", nullptr}, {"pi", 3.25}};
    pair.finish(left.send(message));
    CHECK(pair.finish(right.receive()) == message);
}

TEST_CASE("a closed connection is a lost node, by its name") {
    Pair pair;
    convoy::MessageChannel left(std::move(pair.left), "left"), right(std::move(pair.right), "right");
    right.rename("node 3");
    left.close();
    CHECK_THROWS_AS(pair.finish(right.receive()), convoy::NodeLostError);
    CHECK_THROWS_WITH(pair.finish(right.receive()), Catch::StartsWith("node 3: "));
}

TEST_CASE("every send to a peer that is gone fails, however many there are") {
    asio::io_context io{1};
    asio::local::stream_protocol::socket left(io), right(io);
    asio::local::connect_pair(left, right);
    convoy::MessageChannel channel(std::move(left), "node 3");
    right.close();
    std::vector<std::future<void>> sends;
    for (int i = 0; i < 4; ++i)
        sends.push_back(asio::co_spawn(io, channel.send({{"number", i}}), asio::use_future));
    io.run_for(std::chrono::seconds(20));
    REQUIRE(io.stopped());
    for (auto& send : sends) CHECK_THROWS_AS(send.get(), convoy::NodeLostError);
}

TEST_CASE("a channel may be destroyed under a pending receive") {
    Pair pair;
    auto left = std::make_unique<convoy::MessageChannel>(std::move(pair.left), "left");
    auto pending = asio::co_spawn(pair.io, left->receive(), asio::use_future);
    pair.io.poll();
    left.reset();
    pair.io.run();
    CHECK_THROWS_AS(pending.get(), convoy::NodeLostError);
}

TEST_CASE("what is no message is refused") {
    Pair pair;
    convoy::MessageChannel right(std::move(pair.right), "stranger", 1000);
    SECTION("garbage") {
        asio::write(pair.left, asio::buffer(std::string(48, 'G')));
    }
    SECTION("another kind") {
        asio::write(pair.left, asio::buffer(convoy::encode_frame_header({.kind = convoy::FrameKind::hello})));
    }
    SECTION("more than the limit") {
        asio::write(pair.left, asio::buffer(convoy::encode_frame_header(
                                   {.kind = convoy::FrameKind::message, .payload_bytes = 1001})));
    }
    SECTION("a payload that is not CBOR") {
        asio::write(pair.left, asio::buffer(convoy::encode_frame_header(
                                   {.kind = convoy::FrameKind::message, .payload_bytes = 2})));
        asio::write(pair.left, asio::buffer(std::string("\xff\xff")));
    }
    SECTION("arrays nested without end") {
        asio::write(pair.left, asio::buffer(convoy::encode_frame_header(
                                   {.kind = convoy::FrameKind::message, .payload_bytes = 1000})));
        asio::write(pair.left, asio::buffer(std::string(1000, '\x81')));
    }
    CHECK_THROWS_AS(pair.finish(right.receive()), convoy::DataError);
}

TEST_CASE("a message above the limit is not sent") {
    Pair pair;
    convoy::MessageChannel left(std::move(pair.left), "left", 100);
    CHECK_THROWS_AS(pair.finish(left.send(std::string(200, 'x'))), convoy::InternalError);
}
