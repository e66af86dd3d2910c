#include "net/channel.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "net/memory_channel.hpp"
#include "net/tcp_channel.hpp"

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

namespace {

struct Sessions {
    std::unique_ptr<convoy::TlsSession> connector, acceptor;
};

/// The two sides of a TLS session, which have shaken hands.
Sessions shaken_sessions() {
    const convoy::TlsContext context;
    Sessions made{std::make_unique<convoy::TlsSession>(context, convoy::TlsSide::connector, ""),
                  std::make_unique<convoy::TlsSession>(context, convoy::TlsSide::acceptor, "")};
    const auto carry = [](convoy::TlsSession& from, convoy::TlsSession& to) {
        const auto bytes = from.outgoing();
        std::ranges::copy(bytes, to.room().begin());
        to.arrived(bytes.size());
        from.sent(bytes.size());
    };
    REQUIRE_FALSE(made.connector->shake_hands());
    carry(*made.connector, *made.acceptor);
    REQUIRE_FALSE(made.acceptor->shake_hands());
    carry(*made.acceptor, *made.connector);
    REQUIRE(made.connector->shake_hands());
    carry(*made.connector, *made.acceptor);
    REQUIRE(made.acceptor->shake_hands());
    return made;
}

/// Two ends of one link of either kind: every test runs on both.
struct Link {
    asio::io_context io{1};
    std::unique_ptr<convoy::Channel> left, right;

    explicit Link(const std::string& kind) {
        if (kind == "memory") {
            std::tie(left, right) = convoy::make_memory_link(io.get_executor(), "left", "right", 1000);
            return;
        }
        tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
        tcp::socket there(io);
        there.connect(acceptor.local_endpoint());
        auto here = acceptor.accept();
        auto sessions = kind == "tls" ? shaken_sessions() : Sessions();
        is_encrypted_ = kind == "tls";
        right = convoy::make_tcp_channel(std::move(here), "left", 4096, {}, std::move(sessions.acceptor));
        left = convoy::make_tcp_channel(std::move(there), "right", 4096, {}, std::move(sessions.connector));
    }
    ~Link() {
        left->close();
        right->close();
        io.restart();
        io.run();  // whatever still waits ends here, before its channel
    }
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    Link(Link&&) = delete;
    Link& operator=(Link&&) = delete;

    /// The bytes on the network of a call that writes `bytes`: each record of 16 KiB has 22 bytes more.
    [[nodiscard]] std::size_t on_network(std::size_t bytes) const {
        constexpr std::size_t record = 16384, more = 22;
        return is_encrypted_ ? bytes + more * ((bytes + record - 1) / record) : bytes;
    }

    std::future<void> start(asio::awaitable<void> work) {
        return asio::co_spawn(io, std::move(work), asio::use_future);
    }
    void finish(std::future<void> future) {
        io.restart();
        while (future.wait_for(0s) != std::future_status::ready) io.run_one();
        future.get();
    }

  private:
    bool is_encrypted_ = false;
};

}  // namespace

TEST_CASE("header and payload arrive whole and in order, both ways at once") {
    Link link(GENERATE("memory", "tcp", "tls"));
    std::vector<std::byte> there(3'000'001), back(70'000);
    for (std::size_t i = 0; i < there.size(); ++i) there[i] = static_cast<std::byte>(i * 7 % 251);
    for (std::size_t i = 0; i < back.size(); ++i) back[i] = static_cast<std::byte>(i % 13);
    const std::array<std::byte, 3> header{std::byte{1}, std::byte{2}, std::byte{3}};
    std::vector<std::byte> got_there(there.size() + 3), got_back(back.size() + 3);
    auto sent = link.start(link.left->write(header, there));
    auto sent_back = link.start(link.right->write(header, back));
    auto received = link.start(link.right->read(got_there));
    auto received_back = link.start(link.left->read(got_back));
    for (auto* future : {&sent, &sent_back, &received, &received_back}) link.finish(std::move(*future));
    CHECK(std::equal(header.begin(), header.end(), got_there.begin()));
    CHECK(std::equal(there.begin(), there.end(), got_there.begin() + 3));
    CHECK(std::equal(back.begin(), back.end(), got_back.begin() + 3));
    CHECK(link.left->sent_bytes() == link.right->received_bytes());
    CHECK(link.left->sent_bytes() >= link.on_network(got_there.size()));
    CHECK(link.left->sent_bytes() <= link.on_network(got_there.size()) + 1000);
    CHECK(link.left->received_bytes() >= link.on_network(got_back.size()));
}

TEST_CASE("what was written before closing still arrives, and then the peer is lost") {
    Link link(GENERATE("memory", "tcp", "tls"));
    const std::array<std::byte, 5> sent{std::byte{9}};
    std::array<std::byte, 5> received{};
    link.finish(link.start(link.left->write(sent, {})));
    link.left->close();
    link.finish(link.start(link.right->read(received)));
    CHECK(received == sent);
    CHECK_THROWS_AS(link.finish(link.start(link.right->read(received))), convoy::NodeLostError);
    CHECK_THROWS_WITH(link.finish(link.start(link.right->read(received))), Catch::StartsWith("left: closed"));
    CHECK_THROWS_AS(link.finish(link.start(link.left->write(sent, {}))), convoy::NodeLostError);
}

TEST_CASE("closing ends a pending read and a pending write") {
    Link link(GENERATE("memory", "tcp", "tls"));
    std::vector<std::byte> much(10'000'000), some(10);
    auto writing = link.start(link.left->write(much, {}));
    auto reading = link.start(link.left->read(some));
    link.io.poll();
    link.left->close();
    CHECK_THROWS_AS(link.finish(std::move(writing)), convoy::NodeLostError);
    CHECK_THROWS_AS(link.finish(std::move(reading)), convoy::NodeLostError);
}

TEST_CASE("only a call without progress since the cutoff expires") {
    Link link(GENERATE("memory", "tcp", "tls"));
    std::vector<std::byte> much(10'000'000), some(10);
    const auto before = convoy::Clock::now();
    link.left->expire_if_stalled(convoy::Clock::now(), "nothing");  // nothing is pending
    SECTION("reading") {
        auto reading = link.start(link.left->read(some));
        link.io.poll();
        link.left->expire_if_stalled(before, "all-reduce 3");
        link.io.poll();
        REQUIRE(reading.wait_for(0s) != std::future_status::ready);
        link.left->expire_if_stalled(convoy::Clock::now(), "all-reduce 3");
        CHECK_THROWS_WITH(link.finish(std::move(reading)), Catch::StartsWith("right: nothing received for") &&
                                                               Catch::Contains("in all-reduce 3"));
    }
    SECTION("reading what comes drop by drop") {
        auto reading = link.start(link.left->read(much));
        const std::array<std::byte, 10> drop{};
        link.finish(link.start(link.right->write(drop, {})));
        while (link.left->received_bytes() < link.on_network(drop.size())) link.io.run_one();
        link.left->expire_if_stalled(before, "all-reduce 3");
        const auto so_far = convoy::Clock::now();
        link.finish(link.start(link.right->write(drop, {})));
        while (link.left->received_bytes() < 2 * link.on_network(drop.size())) link.io.run_one();
        link.left->expire_if_stalled(so_far, "all-reduce 3");
        CHECK_THROWS_WITH(link.finish(std::move(reading)),
                          Catch::StartsWith("right: " + std::to_string(2 * link.on_network(drop.size())) +
                                            " bytes received for"));
    }
    SECTION("reading what comes by the thousands of bytes") {
        auto reading = link.start(link.left->read(much));
        const std::vector<std::byte> gush(5000);
        link.finish(link.start(link.right->write(gush, {})));
        while (link.left->received_bytes() < link.on_network(gush.size())) link.io.run_one();
        link.left->expire_if_stalled(before, "all-reduce 3");
        link.io.poll();
        CHECK(reading.wait_for(0s) != std::future_status::ready);
    }
    SECTION("writing") {
        auto writing = link.start(link.left->write(much, {}));
        link.io.poll();
        link.left->expire_if_stalled(convoy::Clock::now(), "all-reduce 3");
        CHECK_THROWS_AS(link.finish(std::move(writing)), convoy::DeadlineError);
    }
}
