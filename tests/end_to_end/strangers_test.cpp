// Somebody who does not belong to a run comes to its ports, in every way that is known.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <fstream>
#include <future>
#include <iomanip>
#include <memory>
#include <mutex>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <thread>

#include "cluster/endpoint.hpp"
#include "net/frame.hpp"
#include "net/hello_exchange.hpp"
#include "net/tls_transfer.hpp"
#include "small_experiment.hpp"
#include "support/old_tls.hpp"

using namespace convoy;
using namespace convoy::test;
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Carries one connection to a port and back, and keeps the bytes that its sender sent.
class Tap {
  public:
    explicit Tap(tcp::endpoint target) : target_(std::move(target)) {
        thread_ = std::thread([this] { carry_both(); });
    }
    Tap(const Tap&) = delete;
    Tap& operator=(const Tap&) = delete;
    Tap(Tap&&) = delete;
    Tap& operator=(Tap&&) = delete;
    ~Tap() {
        for (const int each : {listening_.native_handle(), near_.native_handle(), far_.native_handle()})
            ::shutdown(each, SHUT_RDWR);  // it ends an accept and reads under way
        thread_.join();
    }

    [[nodiscard]] std::string endpoint() const { return endpoint_text(listening_.local_endpoint()); }
    /// The first bytes that came through.
    [[nodiscard]] std::vector<std::byte> first(std::size_t count) {
        const std::lock_guard lock(mutex_);
        REQUIRE(heard_.size() >= count);
        return {heard_.begin(), heard_.begin() + static_cast<std::ptrdiff_t>(count)};
    }
    /// Whether these bytes came through in the clear.
    [[nodiscard]] bool heard(const std::string& words) {
        const std::lock_guard lock(mutex_);
        return !std::ranges::search(heard_, std::as_bytes(std::span(words))).empty();
    }

  private:
    void carry_both() {
        boost::system::error_code none;
        if (listening_.accept(near_, none) || far_.connect(target_, none)) return;
        std::thread back([this] { carry(far_, near_, false); });
        carry(near_, far_, true);
        back.join();
    }
    void carry(tcp::socket& from, tcp::socket& to, bool keep) {
        std::array<std::byte, 4096> piece{};
        boost::system::error_code end;
        while (!end) {
            const auto count = from.read_some(asio::buffer(piece), end);
            if (keep) {
                const std::lock_guard lock(mutex_);
                heard_.insert(heard_.end(), piece.begin(), piece.begin() + count);
            }
            if (!end) asio::write(to, asio::buffer(piece, count), end);
        }
        boost::system::error_code ignored;
        to.shutdown(tcp::socket::shutdown_send, ignored);
    }

    asio::io_context io_;
    tcp::acceptor listening_{io_, {asio::ip::address_v4::loopback(), 0}};
    tcp::socket near_{io_}, far_{io_};
    tcp::endpoint target_;
    std::mutex mutex_;
    std::vector<std::byte> heard_;
    std::thread thread_;
};

/// A connection of somebody who sends these bytes.
class Stranger {
  public:
    explicit Stranger(const tcp::endpoint& port, std::span<const std::byte> words = {}) {
        socket_.connect(port);
        asio::write(socket_, asio::buffer(words.data(), words.size()));
    }
    /// Blocks until the other side has ended the connection.
    void wait_for_end() {
        std::array<std::byte, 4096> heard{};
        boost::system::error_code end;
        while (!end) socket_.read_some(asio::buffer(heard), end);
    }

  private:
    std::unique_ptr<asio::io_context> io_ = std::make_unique<asio::io_context>();
    tcp::socket socket_{*io_};
};

/// The handshake of somebody who does not know the token. tls: how he takes TLS.
void shake_hands_wrongly(const tcp::endpoint& port, Hello hello, ConnectorTls tls) {
    const std::string token = "sardine";
    asio::io_context io;
    tcp::socket socket(io);
    socket.connect(port);
    auto shaken = asio::co_spawn(
        io, say_hello(socket, hello, std::as_bytes(std::span(token)), "the run", tls), asio::use_future);
    io.run();
    shaken.get();
}

void shake_hands_wrongly(const tcp::endpoint& port, Hello hello) {
    shake_hands_wrongly(port, hello, ConnectorTls());
}

/// Takes one connection for a door, and speaks TLS with both sides, by certificates of his own.
class ManInTheMiddle {
  public:
    explicit ManInTheMiddle(tcp::endpoint target) : target_(std::move(target)) {
        thread_ = std::thread([this] {
            asio::co_spawn(io_, carry(), asio::detached);
            io_.run();
        });
    }
    ManInTheMiddle(const ManInTheMiddle&) = delete;
    ManInTheMiddle& operator=(const ManInTheMiddle&) = delete;
    ManInTheMiddle(ManInTheMiddle&&) = delete;
    ManInTheMiddle& operator=(ManInTheMiddle&&) = delete;
    ~ManInTheMiddle() { thread_.join(); }
    [[nodiscard]] std::string endpoint() const { return endpoint_text(listening_.local_endpoint()); }

  private:
    asio::awaitable<void> carry() {
        auto near = co_await listening_.async_accept(asio::use_awaitable);
        listening_.close();
        tcp::socket far(io_);
        co_await far.async_connect(target_, asio::use_awaitable);
        std::array<std::byte, frame_header_bytes + greeting_bytes> greeting{};
        co_await asio::async_read(far, asio::buffer(greeting), asio::use_awaitable);
        co_await asio::async_write(near, asio::buffer(greeting), asio::use_awaitable);
        const TlsContext own;
        TlsSession with_door(own, TlsSide::connector, ""), with_worker(own, TlsSide::acceptor, "");
        co_await shake_hands(far, with_door, "the door");
        co_await shake_hands(near, with_worker, "the worker");
        std::array<std::byte, frame_header_bytes + hello_bytes> hello{};
        co_await receive_decrypted(near, with_worker, hello);
        co_await send_encrypted(far, with_door, hello, {});
        std::array<std::byte, frame_header_bytes + answer_bytes> answer{};
        co_await receive_decrypted(far, with_door, answer);
        co_await send_encrypted(near, with_worker, answer, {});
    }

    asio::io_context io_;
    tcp::acceptor listening_{io_, {asio::ip::address_v4::loopback(), 0}};
    tcp::endpoint target_;
    std::thread thread_;
};

std::vector<std::byte> bytes_of(const FrameHeaderBytes& header) {
    return {header.begin(), header.end()};
}

std::vector<std::byte> frame_of_old_version() {
    constexpr std::size_t version_at = 4;
    auto bytes = bytes_of(encode_frame_header({.kind = FrameKind::hello, .payload_bytes = 41}));
    bytes.at(version_at) = std::byte{frame_version - 1};
    return bytes;
}

std::vector<std::byte> frame_of_2_to_63_bytes() {
    return bytes_of(
        encode_frame_header({.kind = FrameKind::hello, .payload_bytes = std::uint64_t{1} << 63U}));
}

/// The ports of an IPv4 address where something listens.
std::set<std::uint16_t> listening_ports(const std::string& address) {
    std::ostringstream wanted;
    wanted << std::hex << std::uppercase << std::setfill('0') << std::setw(8)
           << htonl(asio::ip::make_address_v4(address).to_uint());
    std::ifstream table("/proc/net/tcp");
    std::string line, number, local, remote, state;
    std::getline(table, line);
    std::set<std::uint16_t> ports;
    while (std::getline(table, line)) {
        std::istringstream(line) >> number >> local >> remote >> state;
        if (state == "0A" && local.substr(0, 8) == wanted.str())
            ports.insert(static_cast<std::uint16_t>(std::stoul(local.substr(9), nullptr, 16)));
    }
    return ports;
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
}

/// A run of three nodes, two of them by hand, at an address of its own, so that its ports are known.
struct RunWithStrangers {
    TemporaryFolder folder;
    std::string address =
        "127." + std::to_string(1 + ::getpid() % 250) + "." + std::to_string(::getpid() / 250 % 250) + ".78";
    std::string token = (folder / "token").string();
    std::filesystem::path out = folder / "out";
    nlohmann::json spec;
    std::unique_ptr<ConvoyProcess> launcher;
    tcp::endpoint door;

    explicit RunWithStrangers(const std::vector<std::string>& more = {}) : spec(small_spec()) {
        spec["max_steps"] = 6;
        spec["nodes"] = nodes(3);
        std::ofstream(token) << "swordfish-swordfish\n";
        std::filesystem::permissions(token, std::filesystem::perms(0600));
        std::vector<std::string> command{
            "run", write_spec(folder, spec), "--out", out.string(), "--listen", address, "--await",
            "2",   "--token-file",           token,   "--verbose"};
        command.insert(command.end(), more.begin(), more.end());
        launcher = std::make_unique<ConvoyProcess>(command);
        REQUIRE(launcher->wait_for_error_text("convoy worker --join"));
        REQUIRE(launcher->wait_for_error_text("--token-file"));
        std::smatch found;
        REQUIRE(std::regex_search(launcher->error_text(), found, std::regex("--join (\\S+)")));
        door = parse_endpoint(found[1].str());
    }
    [[nodiscard]] std::unique_ptr<ConvoyProcess> worker(const std::string& rank,
                                                        const std::string& port) const {
        return std::make_unique<ConvoyProcess>(std::vector<std::string>{
            "worker", "--join", port, "--interface", address, "--rank", rank, "--token-file", token});
    }
    /// Blocks until the launcher has said this so many times.
    void wait_for(const std::string& text, std::size_t times) const {
        REQUIRE(launcher->wait_until([&] { return count_of(launcher->error_text(), text) >= times; }));
    }
};

constexpr const char* refusal = "refused a connection from ";

}  // namespace

TEST_CASE("strangers of every kind at each port of a run are refused, and the run ends with the same bits") {
    RunWithStrangers run;
    const auto local = run_spec(run.folder, run.spec, "local");
    Tap tap(run.door);
    const auto first = run.worker("1", tap.endpoint());
    run.wait_for("has joined", 2);
    const auto ports = listening_ports(run.address);
    REQUIRE(ports.size() == 3);  // of the launcher, of its own node and of the first worker

    // One after another at the door; each is told.
    const auto hello_of_worker = tap.first(frame_header_bytes + hello_bytes);
    std::size_t told = 0;
    const auto refused_with = [&](const std::string& reason) {
        run.wait_for(refusal, ++told);
        const auto& text = run.launcher->error_text();
        CHECK_THAT(text.substr(text.rfind(refusal)), Catch::Contains(reason));
    };
    const Hello join{.purpose = Purpose::join, .world_size = 0, .from_rank = 2, .to_rank = -1};
    CHECK_THROWS_WITH(shake_hands_wrongly(run.door, join), Catch::Contains("does not know its token"));
    refused_with("it does not know this run's token");
    Stranger(run.door, hello_of_worker).wait_for_end();
    refused_with("it does not know this run's token");
    Stranger(run.door, frame_of_old_version()).wait_for_end();
    refused_with("speaks frame version");
    Stranger(run.door, frame_of_2_to_63_bytes()).wait_for_end();
    refused_with("a frame of 9223372036854775808 bytes");
    { const Stranger scanner(run.door); }
    refused_with("ended the connection in its handshake");
    // Of somebody who says one byte and then nothing, and of a crowd, the first leave for the last.
    const std::array one_byte{std::byte{'C'}};
    Stranger slow(run.door, one_byte);
    std::vector<Stranger> crowd;
    for (int i = 0; i < 500; ++i) crowd.emplace_back(run.door);
    slow.wait_for_end();
    refused_with("it said nothing, and others came");

    // At the ports of nodes, which answer once all nodes have joined.
    std::vector<std::future<void>> impostors;
    const Hello node{.purpose = Purpose::data, .world_size = 3, .from_rank = 2, .to_rank = 1};
    for (const auto number : ports) {
        const tcp::endpoint port(run.door.address(), number);
        if (port == run.door) continue;
        impostors.push_back(std::async(std::launch::async, [=] { shake_hands_wrongly(port, node); }));
        for (const auto& words : {hello_of_worker, frame_of_old_version(), frame_of_2_to_63_bytes()})
            crowd.emplace_back(port, words);
        Stranger scanner(port);
        crowd.emplace_back(port, one_byte);
        for (int i = 0; i < 100; ++i) crowd.emplace_back(port);
    }

    const auto second = run.worker("2", endpoint_text(run.door));
    const auto outcome = run.launcher->wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(first->wait().code == 0);
    CHECK(second->wait().code == 0);
    for (auto& impostor : impostors) CHECK_THROWS_AS(impostor.get(), ClusterError);
    CHECK(sha256_of_weights(run.out) == sha256_of_weights(local));
    CHECK(tap.heard(run.address));  // in the worker's first message: without TLS, everybody may read it
    CHECK(count_of(outcome.err, refusal) == 8);
    CHECK(count_of(outcome.err, "refuses more connections, and tells no more of them") == 1);
}

TEST_CASE("strangers of every kind at each port of a run under TLS are refused, and none reads it") {
    RunWithStrangers run({"--tls"});
    const auto local = run_spec(run.folder, run.spec, "local");
    Tap tap(run.door);
    const auto first = run.worker("1", tap.endpoint());
    run.wait_for("has joined", 2);
    const auto ports = listening_ports(run.address);
    REQUIRE(ports.size() == 3);  // of the launcher, of its own node and of the first worker
    std::size_t told = 0;
    const auto refused_with = [&](const std::string& reason) {
        run.wait_for(refusal, ++told);
        const auto& text = run.launcher->error_text();
        CHECK_THAT(text.substr(text.rfind(refusal)), Catch::Contains(reason));
    };
    const Hello join{.purpose = Purpose::join, .world_size = 0, .from_rank = 2, .to_rank = -1};
    CHECK_THROWS_WITH(shake_hands_wrongly(run.door, join, {.context = TlsContext()}),
                      Catch::Contains("does not know its token, or somebody is between the two"));
    refused_with("it does not know this run's token, or somebody is between the two");
    const auto wrong_version = hello_of_tls_1_2();
    Stranger(run.door, wrong_version).wait_for_end();
    refused_with("does not speak TLS 1.3: unsupported protocol");
    Stranger(run.door, std::as_bytes(std::span("GET / HTTP/1.1\r\n\r\n"))).wait_for_end();
    refused_with("does not speak TLS 1.3");
    CHECK_THROWS_AS(shake_hands_wrongly(run.door, join, {}), DisagreementError);
    refused_with("ended the connection in its handshake");
    {
        const ManInTheMiddle between(run.door);
        const auto fooled = run.worker("2", between.endpoint())->wait();
        CHECK(fooled.code == 69);
        CHECK_THAT(fooled.err, Catch::Contains("does not know this run's token"));
    }
    refused_with("it does not know this run's token, or somebody is between the two");
    // Of those who stop in the midst of a handshake of TLS, the first leave for the last.
    const auto half = std::span(wrong_version).first(40);
    Stranger slow(run.door, half);
    std::vector<Stranger> crowd;
    for (int i = 0; i < 200; ++i) crowd.emplace_back(run.door, half);
    slow.wait_for_end();
    refused_with("it said nothing, and others came");

    // At the ports of nodes, which answer once all nodes have joined.
    std::vector<std::future<void>> impostors;
    const Hello node{.purpose = Purpose::data, .world_size = 3, .from_rank = 2, .to_rank = 1};
    for (const auto number : ports) {
        const tcp::endpoint port(run.door.address(), number);
        if (port == run.door) continue;
        for (const auto& tls : {ConnectorTls(), ConnectorTls{.context = TlsContext()}})
            impostors.push_back(
                std::async(std::launch::async, [=] { shake_hands_wrongly(port, node, tls); }));
        crowd.emplace_back(port, wrong_version);
        for (int i = 0; i < 100; ++i) crowd.emplace_back(port, half);
    }
    const auto second = run.worker("2", endpoint_text(run.door));
    const auto outcome = run.launcher->wait();
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK(first->wait().code == 0);
    CHECK(second->wait().code == 0);
    for (auto& impostor : impostors) CHECK_THROWS_AS(impostor.get(), Error);
    CHECK(sha256_of_weights(run.out) == sha256_of_weights(local));
    CHECK(tap.first(1).size() == 1);
    CHECK_FALSE(tap.heard(run.address));
}
