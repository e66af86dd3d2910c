#include "net/frame_seal.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <cstring>
#include <future>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "net/message_channel.hpp"
#include "net/tcp_channel.hpp"
#include "net/tcp_fabric.hpp"

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace convoy;

namespace {

const Hmac some_key{std::byte{1}, std::byte{2}, std::byte{3}};

std::span<const std::byte> text_bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
}

/// Two sockets of one connection.
struct SealedEnds {
    asio::io_context io{1};
    tcp::socket left{io}, right{io};
    SealedEnds() {
        auto listening = listen_on(io.get_executor(), asio::ip::address_v4::loopback());
        left.connect(listening.local_endpoint());
        listening.accept(right);
    }
    template <typename Value>
    Value finish(asio::awaitable<Value> work) {
        auto future = asio::co_spawn(io, std::move(work), asio::use_future);
        io.restart();
        io.run();
        return future.get();
    }
};

/// The bytes that a sealed channel sends for a frame of a header and a payload.
std::vector<std::byte> sent_frame(std::string_view header, std::string_view payload) {
    SealedEnds ends;
    const auto channel =
        make_tcp_channel(std::move(ends.left), "right", 0, SealKeys{.out = some_key, .in = {}});
    ends.finish(channel->write(text_bytes(header), text_bytes(payload)));
    std::vector<std::byte> bytes(header.size() + payload.size() + seal_bytes);
    asio::read(ends.right, asio::buffer(bytes));
    CHECK(ends.right.available() == 0);
    return bytes;
}

}  // namespace

// printf headpayload > FILE; openssl mac -cipher AES-128-GCM -macopt hexkey:01020300000000000000000000000000
// -macopt hexiv:IV -in FILE GMAC, with IV 000000000000000000000000, then 000000000100000000000000
TEST_CASE("a seal is the known answer, and each frame has a nonce of its own") {
    FrameSeal seal(some_key);
    constexpr std::array<unsigned char, seal_bytes> first{0xC3, 0xC1, 0xC6, 0x95, 0xD8, 0x72, 0xB9, 0x49,
                                                          0xD4, 0x09, 0x24, 0x8E, 0xC9, 0x4D, 0x85, 0xEE};
    constexpr std::array<unsigned char, seal_bytes> second{0x0D, 0xFD, 0xA0, 0x80, 0x69, 0x45, 0xD8, 0xAA,
                                                           0xDE, 0xFD, 0x8E, 0x78, 0xE0, 0xA1, 0x12, 0xE0};
    CHECK(std::memcmp(seal.next(text_bytes("head"), text_bytes("payload")).data(), first.data(),
                      seal_bytes) == 0);
    CHECK(std::memcmp(seal.next(text_bytes("head"), text_bytes("payload")).data(), second.data(),
                      seal_bytes) == 0);
}

TEST_CASE("a sealed channel finds each changed bit of a frame, and takes the frame as it was") {
    const auto frame = sent_frame("head", "payload");
    for (std::size_t bit = 0; bit <= 8 * frame.size(); ++bit) {
        auto changed = frame;
        if (bit < 8 * frame.size()) changed[bit / 8] ^= std::byte{1} << (bit % 8);
        SealedEnds ends;
        asio::write(ends.left, asio::buffer(changed));
        const auto channel =
            make_tcp_channel(std::move(ends.right), "left", 0, SealKeys{.out = {}, .in = some_key});
        REQUIRE(channel->is_sealed());
        std::array<std::byte, 4> header{};
        std::array<std::byte, 7> payload{};
        ends.finish(channel->read(header));
        ends.finish(channel->read(payload));
        CHECK(ends.finish(channel->seal_fits(header, payload)) == (bit == 8 * frame.size()));
    }
}

TEST_CASE("a frame that is sent again does not fit") {
    const auto frame = sent_frame("head", "payload");
    SealedEnds ends;
    for (int i = 0; i < 2; ++i) asio::write(ends.left, asio::buffer(frame));
    const auto channel =
        make_tcp_channel(std::move(ends.right), "left", 0, SealKeys{.out = {}, .in = some_key});
    std::array<std::byte, 11> bytes{};
    for (const bool fits : {true, false}) {
        ends.finish(channel->read(bytes));
        CHECK(ends.finish(channel->seal_fits(std::span(bytes).first(4), std::span(bytes).last(7))) == fits);
    }
}

TEST_CASE("a message that is changed on its way is an error of its sender's name") {
    SealedEnds near, far;
    MessageChannel left(std::move(near.left), "left"), right(std::move(far.right), "the worker");
    left.seal({.out = some_key, .in = {}});
    right.seal({.out = {}, .in = some_key});
    const auto number = GENERATE(0, 1);
    for (int i = 0; i < 2; ++i) near.finish(left.send({{"number", i}}));
    std::vector<std::byte> bytes(near.right.available());
    asio::read(near.right, asio::buffer(bytes));
    // The last byte of a message is its seal's; that before the seal is the number.
    bytes[(bytes.size() / 2) * static_cast<std::size_t>(number + 1) - seal_bytes - 1] ^= std::byte{2};
    asio::write(far.left, asio::buffer(bytes));
    if (number == 1) CHECK(far.finish(right.receive()).at("number") == 0);
    CHECK_THROWS_WITH(far.finish(right.receive()),
                      "the worker: a message was changed on its way here; is somebody between the two?");
}
