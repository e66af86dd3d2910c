#include "cluster/worker.hpp"

#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "cluster/endpoint.hpp"
#include "cluster/fake_run.hpp"
#include "cluster/messages.hpp"
#include "cluster/poll_until.hpp"
#include "cluster/raw_channel.hpp"
#include "hosts/child_process.hpp"
#include "net/frame.hpp"
#include "net/session.hpp"
#include "net/tcp_fabric.hpp"

using namespace convoy::messages;
using convoy::ChildProcess;
using convoy::ExitCode;
using convoy::ProcessEnd;

namespace {

/// A launcher that a test plays itself, with one worker.
class PlayedLauncher {
  public:
    /// dropped: the first connections, which end without a word.
    explicit PlayedLauncher(const std::string& behaviour, int dropped = 0)
        : worker_({FAKE_WORKER, behaviour, "--join", convoy::endpoint_text(acceptor_.local_endpoint())},
                  {.environment = {{"CONVOY_TOKEN", "swordfish"}}}),
          channel_(accept_behind(dropped), "swordfish") {}

    /// Hears hello, and gives the only node its work.
    void assign(double deadline_s) {
        const auto hello = decode_hello(channel_.receive());
        CHECK_FALSE(hello.rank);
        CHECK(hello.pid == worker_.pid());
        Assign assign;
        assign.assignment.spec =
            fake_launch_options({.behaviour = "", .nodes = 1, .deadline_s = deadline_s}).spec;
        assign.peers = {hello.fabric};
        channel_.send(encode(assign));
    }

    nlohmann::json receive(const char* kind) {
        while (true) {
            auto message = channel_.receive();
            if (type_of(message) == kind) return message;
        }
    }
    RawChannel& channel() { return channel_; }

    ProcessEnd worker_end() {
        REQUIRE(readable_within(worker_.handle(), 20'000));
        return worker_.ended().value();
    }

  private:
    boost::asio::ip::tcp::acceptor& accept_behind(int dropped) {
        for (int i = 0; i < dropped; ++i) acceptor_.accept().close();
        return acceptor_;
    }

    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_ =
        convoy::listen_on(io_.get_executor(), boost::asio::ip::make_address("127.0.0.1"));
    ChildProcess worker_;
    RawChannel channel_;
};

ProcessEnd exit_with(ExitCode code) {
    return {.by_signal = false, .value = static_cast<int>(code)};
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

template <std::size_t Size>
void send_frame(boost::asio::ip::tcp::socket& socket, convoy::FrameKind kind,
                const std::array<std::byte, Size>& payload) {
    boost::asio::write(
        socket, boost::asio::buffer(convoy::encode_frame_header({.kind = kind, .payload_bytes = Size})));
    boost::asio::write(socket, boost::asio::buffer(payload));
}

}  // namespace

TEST_CASE("a worker answers pings while it computes, and leaves at once when told to") {
    PlayedLauncher launcher("busy");
    launcher.assign(60);
    launcher.receive(type::progress);
    for (int number = 1; number <= 3; ++number) {
        launcher.channel().send({{"type", type::ping}, {"number", number}});
        const auto pong = launcher.receive(type::pong);
        CHECK(field<int>(pong, "number") == number);
        CHECK(field<double>(pong, "clock_us") <=
              convoy::Microseconds(convoy::Clock::now().time_since_epoch()).count());
    }
    launcher.channel().send(encode(type::abort, {.code = ExitCode::data, .message = "another node failed"}));
    CHECK(launcher.worker_end() == exit_with(ExitCode::data));
}

TEST_CASE("a worker that loses the launcher ends at once, though it is busy") {
    PlayedLauncher launcher("busy");
    launcher.assign(60);
    launcher.receive(type::progress);
    launcher.channel().close();
    CHECK(launcher.worker_end() == exit_with(ExitCode::node_lost));
}

TEST_CASE("a worker ends when the launcher says nothing for the deadline") {
    PlayedLauncher launcher("busy");
    launcher.assign(0.2);
    CHECK(launcher.worker_end() == exit_with(ExitCode::node_lost));
}

TEST_CASE("a worker tells a launcher that does not know the token nothing but its hello") {
    boost::asio::io_context io;
    auto acceptor = convoy::listen_on(io.get_executor(), boost::asio::ip::make_address("127.0.0.1"));
    ChildProcess worker({FAKE_WORKER, "busy", "--join", convoy::endpoint_text(acceptor.local_endpoint())},
                        {.environment = {{"CONVOY_TOKEN", "swordfish"}}});
    auto socket = acceptor.accept();
    const convoy::Greeting greeting{};
    send_frame(socket, convoy::FrameKind::greeting, convoy::encode_greeting(greeting));
    std::array<std::byte, convoy::frame_header_bytes + convoy::hello_bytes> said{};
    boost::asio::read(socket, boost::asio::buffer(said));
    const auto hello = convoy::decode_hello(std::span(said).last<convoy::hello_bytes>(), "the worker");
    CHECK(hello.proof == convoy::proof_of_connector(bytes_of("swordfish"), greeting, hello));
    convoy::Answer answer;
    const bool is_proof_of_worker = GENERATE(true, false);
    answer.proof = is_proof_of_worker
                       ? hello.proof
                       : convoy::proof_of_acceptor(bytes_of("sardine"), greeting, hello, false);
    send_frame(socket, convoy::FrameKind::answer, convoy::encode_answer(answer));
    char more = 0;
    boost::system::error_code end;
    CHECK(boost::asio::read(socket, boost::asio::buffer(&more, 1), end) == 0);
    REQUIRE(readable_within(worker.handle(), 20'000));
    CHECK(worker.ended() == exit_with(ExitCode::unavailable));
}

TEST_CASE("a worker that is dropped before it could say who it is comes again") {
    PlayedLauncher launcher("rounds", 3);
    launcher.assign(60);
    launcher.receive(type::agree);
    launcher.channel().send(encode(type::abort, {.code = ExitCode::data, .message = "another node failed"}));
    CHECK(launcher.worker_end() == exit_with(ExitCode::data));
}

TEST_CASE("a worker that the launcher started joins by the connection that it was given, without a token") {
    auto pair = convoy::SocketPair::open();
    REQUIRE(pair);
    ChildProcess worker({FAKE_WORKER, "rounds", "--control", "3", "--rank", "0", "--interface", "127.0.0.1"},
                        {.control = pair.other.get()});
    pair.other.reset();
    RawChannel channel(pair.one.release());
    channel.send({{"type", type::welcome}, {"protocol", protocol}, {"version", convoy::build_text()}});
    const auto hello = decode_hello(channel.receive());
    CHECK(hello.rank == 0);
    CHECK(hello.fabric.starts_with("127.0.0.1:"));
    channel.close();
    REQUIRE(readable_within(worker.handle(), 20'000));
    CHECK(worker.ended() == exit_with(ExitCode::node_lost));
}

TEST_CASE("a worker says that it is done and waits to be let go") {
    PlayedLauncher launcher("rounds");
    launcher.assign(60);
    launcher.receive(type::agree);
    launcher.channel().send({{"type", type::agreed}});
    CHECK_FALSE(field<bool>(launcher.receive(type::done), "stopped"));
    launcher.channel().send({{"type", type::bye}});
    CHECK(launcher.worker_end() == ProcessEnd{});
}

TEST_CASE("a worker stops after the step that the launcher names, not before") {
    PlayedLauncher launcher("endless");
    launcher.assign(60);
    launcher.receive(type::agree);
    launcher.channel().send({{"type", type::agreed}});
    launcher.channel().send({{"type", type::stop}});
    const auto begun = field<std::int64_t>(launcher.receive(type::at_step), "step");
    launcher.channel().send({{"type", type::stop_after}, {"step", begun + 3}});
    const auto records = field<nlohmann::json>(launcher.receive(type::records), "records");
    CHECK(records.at("steps").size() == static_cast<std::size_t>(begun + 3));
    CHECK(field<bool>(launcher.receive(type::done), "stopped"));
    launcher.channel().send({{"type", type::bye}});
    CHECK(launcher.worker_end() == ProcessEnd{});
}

TEST_CASE("a launcher that cannot be reached is an error that names it") {
    std::string endpoint;
    {
        boost::asio::io_context io;
        const auto acceptor =
            convoy::listen_on(io.get_executor(), boost::asio::ip::make_address("127.0.0.1"));
        endpoint = convoy::endpoint_text(acceptor.local_endpoint());
    }
    convoy::WorkerOptions options;
    options.launcher = endpoint;
    CHECK_THROWS_WITH(convoy::run_worker(options, {}),
                      Catch::Contains("cannot reach the launcher at " + endpoint));
    options.launcher = "nowhere";
    CHECK_THROWS_AS(convoy::run_worker(options, {}), convoy::UsageError);
}
