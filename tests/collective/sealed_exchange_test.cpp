#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "collective/ending.hpp"
#include "collective/fabric_communicator.hpp"
#include "collective/run.hpp"
#include "net/control_frames.hpp"
#include "net/frame.hpp"
#include "net/io_thread.hpp"
#include "net/tcp_channel.hpp"
#include "net/tcp_fabric.hpp"

using namespace convoy;
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Somebody between two nodes, who carries one connection from one to the other, and flips a bit of one of
/// the bytes that the connecting node sends.
class Meddler {
  public:
    Meddler(const tcp::endpoint& target, std::size_t byte) : target_(target), byte_(byte) {
        thread_ = std::thread([this] { carry_both(); });
    }
    Meddler(const Meddler&) = delete;
    Meddler& operator=(const Meddler&) = delete;
    Meddler(Meddler&&) = delete;
    Meddler& operator=(Meddler&&) = delete;
    ~Meddler() { thread_.join(); }

    [[nodiscard]] tcp::endpoint endpoint() const { return listening_.local_endpoint(); }

  private:
    void carry_both() {
        tcp::socket near(io_), far(io_);
        listening_.accept(near);
        far.connect(target_);
        std::thread back([&] { carry(far, near, no_byte); });
        carry(near, far, byte_);
        back.join();
    }
    static void carry(tcp::socket& from, tcp::socket& to, std::size_t byte) {
        std::array<std::byte, 4096> piece{};
        boost::system::error_code end;
        for (std::size_t carried = 0; !end;) {
            const auto count = from.read_some(asio::buffer(piece), end);
            if (byte >= carried && byte < carried + count) piece.at(byte - carried) ^= std::byte{1};
            carried += count;
            if (!end) asio::write(to, asio::buffer(piece, count), end);
        }
        boost::system::error_code ignored;
        to.shutdown(tcp::socket::shutdown_send, ignored);
    }

    static constexpr auto no_byte = static_cast<std::size_t>(-1);
    asio::io_context io_;
    tcp::acceptor listening_ = listen_on(io_.get_executor(), asio::ip::address_v4::loopback());
    tcp::endpoint target_;
    std::size_t byte_;
    std::thread thread_;
};

struct SealedNode {
    std::unique_ptr<IoThread> io = std::make_unique<IoThread>();
    tcp::acceptor listening = listen_on(io->context().get_executor(), asio::ip::address_v4::loopback());
    std::vector<float> buffer = std::vector<float>(1000, 1.0F);

    std::future<std::vector<std::unique_ptr<Fabric>>> form(std::int64_t rank,
                                                           std::vector<tcp::endpoint> endpoints, bool seal) {
        TcpFabricOptions options;
        options.rank = rank;
        options.endpoints = std::move(endpoints);
        options.always_seal = seal;
        options.send_to = options.receive_from = {1 - rank};
        return asio::co_spawn(io->context(), form_tcp_fabrics(std::move(listening), std::move(options)),
                              asio::use_future);
    }
};

/// A sealed channel over loopback, and its other end.
std::pair<std::unique_ptr<Channel>, std::unique_ptr<Channel>> sealed_link(asio::io_context& io) {
    auto listening = listen_on(io.get_executor(), asio::ip::address_v4::loopback());
    tcp::socket near(io), far(io);
    near.connect(listening.local_endpoint());
    listening.accept(far);
    const SealKeys keys;
    return {make_tcp_channel(std::move(near), "node 1", 0, keys),
            make_tcp_channel(std::move(far), "node 0", 0, keys)};
}

/// In the upper half of the first number that is sent behind the hello and a header.
constexpr std::size_t byte_of_number = frame_header_bytes + hello_bytes + frame_header_bytes + 2;

}  // namespace

TEST_CASE(
    "a bit of a sum that is flipped between two nodes ends the sum with an error of the sender's name") {
    SealedNode one, other;
    const auto here = one.listening.local_endpoint(), there = other.listening.local_endpoint();
    const auto [seal, byte] = GENERATE(Catch::Generators::table<bool, std::size_t>(
        {{false, byte_of_number}, {true, byte_of_number}, {true, 1'000'000}}));
    const Meddler meddler(there, byte);
    // Only the node that is asked for seals wants them; the other follows.
    auto first = one.form(0, {here, meddler.endpoint()}, false);
    auto second = other.form(1, {here, there}, seal);
    FabricCommunicator nodes_0(*one.io, first.get()), nodes_1(*other.io, second.get());
    auto sum_of_0 = std::async(std::launch::async, [&] { nodes_0.run(std::span(one.buffer), {}); });
    auto sum_of_1 = std::async(std::launch::async, [&] { nodes_1.run(std::span(other.buffer), {}); });
    if (seal && byte == byte_of_number) {
        sum_of_0.wait();  // it may be done before the other finds the change
        try {
            sum_of_1.get();
            FAIL("summed what somebody changed");
        } catch (const DataError& error) {
            CHECK_THAT(error.what(), Catch::StartsWith("node 0 (127.0.0.1:") &&
                                         Catch::Contains("a frame was changed on its way here"));
        }
    } else {
        CHECK_NOTHROW(sum_of_0.get());
        CHECK_NOTHROW(sum_of_1.get());
        // Without seals nobody sees the change.
        CHECK((other.buffer == std::vector<float>(1000, 2.0F)) == seal);
    }
}

TEST_CASE("a failure that a peer tells by a sealed link is known with its reason") {
    asio::io_context io{1};
    auto [to, end_of_to] = sealed_link(io);
    auto [from, end_of_from] = sealed_link(io);
    Fabric fabric(io.get_executor(), 0, 2, {});
    fabric.link_to(1, std::move(to));
    fabric.link_from(1, std::move(from));
    // The segment that node 0 waits for is larger than the notice and its seal, which come at once.
    const auto notice = encode_failure({.code = ExitCode::data, .reason = "the loss is no number"});
    const auto header = encode_frame_header({.kind = FrameKind::failure, .payload_bytes = notice.size()});
    auto told = asio::co_spawn(io, end_of_from->write(header, notice), asio::use_future);
    io.run();
    told.get();
    end_of_from->close();
    std::vector<float> buffer(1000);
    io.restart();
    auto end = asio::co_spawn(io, summed(fabric, buffer, {}), asio::use_future);
    while (end.wait_for(std::chrono::seconds(0)) != std::future_status::ready) io.run_one();
    const auto [code, text] = ending(end);
    CHECK(code == 65);
    CHECK_THAT(text, Catch::Contains("the loss is no number"));
}
