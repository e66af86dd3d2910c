#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "collective/ending.hpp"
#include "collective/run.hpp"
#include "net/control_frames.hpp"
#include "net/frame.hpp"
#include "net/memory_channel.hpp"

namespace asio = boost::asio;
using Algorithm = convoy::AllReduceAlgorithm;
using namespace std::chrono_literals;

namespace {

/// The peer of rank 0 of two, which sums so many floats: it writes what a test wants and reads nothing.
struct Peer {
    asio::io_context io{1};
    std::unique_ptr<convoy::Channel> left, right;  // its ends of rank 0's links
    convoy::Fabric fabric{io.get_executor(), 0, 2, {.deadline = 100ms, .grace = 50ms}};
    std::vector<float> buffer;

    explicit Peer(std::size_t count = 100) : buffer(count) {
        std::unique_ptr<convoy::Channel> to, from;
        std::tie(to, right) = convoy::make_memory_link(io.get_executor(), "node 0", "node 1", 1000);
        std::tie(from, left) = convoy::make_memory_link(io.get_executor(), "node 0", "node 1", 1U << 16U);
        fabric.link_to(1, std::move(to));
        fabric.link_from(1, std::move(from));
    }
    /// A segment of the sum whose header says what part says, and so many bytes behind it, or as many as it
    /// announces.
    void write(convoy::FrameHeader part, std::optional<std::size_t> bytes = {}) {
        part.kind = convoy::FrameKind::collective;
        part.type = convoy::ElementType::float32;
        part.operation = convoy::ExchangeOperation::all_reduce_sum;
        part.element_count = buffer.size();
        const auto header = convoy::encode_frame_header(part);
        const std::vector<std::byte> payload(bytes.value_or(part.payload_bytes));
        finish(left->write(header, payload));
    }
    void finish(asio::awaitable<void> work) {
        io.restart();
        auto done = asio::co_spawn(io, std::move(work), asio::use_future);
        while (done.wait_for(0s) != std::future_status::ready) io.run_one();
        done.get();
    }
    Ending sum(Algorithm algorithm = Algorithm::recursive_doubling) {
        io.restart();
        auto end = asio::co_spawn(io, summed(fabric, buffer, {.algorithm = algorithm}), asio::use_future);
        while (end.wait_for(0s) != std::future_status::ready) io.run_one();
        return ending(end);
    }
};

/// The header of the one segment in which 100 floats travel.
constexpr convoy::FrameHeader whole_segment{.payload_bytes = 400};

}  // namespace

TEST_CASE("a peer that takes nothing passes the deadline, by name") {
    // Rank 0 has all that it waits for but cannot get rid of its own segments: rank 1 never reads.
    Peer peer(2000);
    peer.write({.step = 0, .first_element = 1008, .payload_bytes = 992 * sizeof(float)});
    peer.write({.step = 1, .first_element = 0, .payload_bytes = 1008 * sizeof(float)});
    const auto [code, text] = peer.sum(Algorithm::ring);
    CHECK(code == 75);
    CHECK_THAT(text, Catch::StartsWith("node 1: 1000 bytes accepted for"));
}

TEST_CASE("garbage, oversize and unknown failures are refused by the name of their sender") {
    Peer peer;
    convoy::FrameHeaderBytes frame{};
    SECTION("garbage") {
        frame.fill(std::byte{0x47});
    }
    SECTION("a segment beyond every bound") {
        frame = convoy::encode_frame_header({.kind = convoy::FrameKind::collective,
                                             .type = convoy::ElementType::float32,
                                             .operation = convoy::ExchangeOperation::all_reduce_sum,
                                             .element_count = ~std::uint64_t{0},
                                             .payload_bytes = ~std::uint64_t{3}});
    }
    SECTION("a failure notice that is too long") {
        frame = convoy::encode_frame_header({.kind = convoy::FrameKind::failure, .payload_bytes = 1U << 20U});
    }
    peer.finish(peer.left->write(frame, {}));
    const auto [code, text] = peer.sum();
    CHECK(code == 65);
    CHECK_THAT(text, Catch::StartsWith("node 1: sent a f"));
}

TEST_CASE("a message that nobody waits for has no deadline until it begins to come") {
    Peer peer;
    const convoy::WaitMark nobody;
    const auto prepared = convoy::prepare_exchange(peer.fabric, peer.buffer,
                                                   {.verb = convoy::ExchangeVerb::receive, .root = 1});
    auto end = asio::co_spawn(peer.io, convoy::run_exchange(peer.fabric, prepared, nobody), asio::use_future);
    peer.io.run_for(300ms);
    REQUIRE(end.wait_for(0s) != std::future_status::ready);
    const auto header = convoy::encode_frame_header({.kind = convoy::FrameKind::collective,
                                                     .type = convoy::ElementType::float32,
                                                     .operation = convoy::ExchangeOperation::send,
                                                     .element_count = 100,
                                                     .payload_bytes = 400});
    peer.finish(peer.left->write(header, std::vector<std::byte>(100)));
    while (end.wait_for(0s) != std::future_status::ready) peer.io.run_one();
    const auto [code, text] = ending(end);
    CHECK(code == 75);
    CHECK_THAT(text, Catch::StartsWith("node 1: nothing received for") && Catch::Contains("in send 0"));
}

TEST_CASE("a peer that sends too little is named: at the deadline, or at once where it closes") {
    Peer peer;
    peer.write(whole_segment, 200);
    SECTION("and waits") {
        const auto [code, text] = peer.sum();
        CHECK(code == 75);
        CHECK_THAT(text, Catch::StartsWith("node 1: nothing received for"));
    }
    SECTION("and closes") {
        peer.left->close();
        const auto [code, text] = peer.sum();
        CHECK(code == 74);
        CHECK_THAT(text, Catch::StartsWith("node 1: closed the connection"));
    }
}

TEST_CASE("a peer that sends too much is refused by its name where the next sum begins") {
    Peer peer;
    peer.write(whole_segment, 500);
    CHECK(peer.sum().code == 0);
    const auto [code, text] = peer.sum();
    CHECK(code == 65);
    CHECK_THAT(text, Catch::StartsWith("node 1: sent a f"));
}
