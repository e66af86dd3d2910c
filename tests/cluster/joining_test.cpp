#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "cluster/endpoint.hpp"
#include "cluster/fake_run.hpp"
#include "cluster/poll_until.hpp"
#include "hosts/child_process.hpp"
#include "net/frame.hpp"
#include "net/message.hpp"

using boost::asio::ip::tcp;
using convoy::ChildProcess;

namespace {

std::unique_ptr<ChildProcess> join_by_hand(const std::string& behaviour, const std::string& endpoint,
                                           const std::vector<std::string>& more = {}) {
    std::vector<std::string> command{FAKE_WORKER, behaviour, "--join", endpoint};
    command.insert(command.end(), more.begin(), more.end());
    return std::make_unique<ChildProcess>(
        command, convoy::ChildSettings{.environment = {{"CONVOY_TOKEN", "swordfish"}}});
}

/// Three nodes, of which the launcher starts two; the third must know the token.
FakeRunOptions one_by_hand() {
    FakeRunOptions options;
    options.behaviour = "rounds";
    options.nodes = 3;
    options.local_nodes = 2;
    options.token = "swordfish";
    return options;
}

tcp::socket stranger(boost::asio::io_context& io, const std::string& endpoint) {
    tcp::socket socket(io);
    socket.connect(convoy::parse_endpoint(endpoint));
    return socket;
}

void say(tcp::socket& socket, std::span<const std::byte> bytes) {
    boost::asio::write(socket, boost::asio::buffer(bytes.data(), bytes.size()));
}

}  // namespace

TEST_CASE("a worker that is started by hand takes a free place") {
    std::unique_ptr<ChildProcess> extra;
    auto options = one_by_hand();
    options.on_listening = [&](const std::string& endpoint) { extra = join_by_hand("rounds", endpoint); };
    options.children_of_test = 1;
    const auto run = run_fake(options);
    REQUIRE(run.outcome);
    REQUIRE(run.outcome->nodes.size() == 3);
    CHECK(run.outcome->nodes[2].pid == extra->pid());
    CHECK(run.outcome->records.steps.size() == 24);
    REQUIRE(readable_within(extra->handle(), 20'000));
    CHECK(extra->ended() == convoy::ProcessEnd{});
}

TEST_CASE("workers at the door take the ranks that they want, whoever comes first") {
    std::vector<std::unique_ptr<ChildProcess>> extra;
    auto options = one_by_hand();
    options.nodes = 4;
    options.local_nodes = 1;
    options.on_listening = [&](const std::string& endpoint) {
        for (const auto* rank : {"3", "1", "2"})
            extra.push_back(join_by_hand("rounds", endpoint, {"--rank", rank}));
    };
    options.children_of_test = 3;
    const auto run = run_fake(options);
    REQUIRE(run.outcome);
    CHECK(run.outcome->nodes[3].pid == extra[0]->pid());
    CHECK(run.outcome->nodes[1].pid == extra[1]->pid());
    CHECK(run.outcome->nodes[2].pid == extra[2]->pid());
}

TEST_CASE("a worker that wants a rank of the launcher's own is refused") {
    std::unique_ptr<ChildProcess> wrong, extra;
    std::string launcher;
    auto options = one_by_hand();
    options.on_listening = [&](const std::string& endpoint) {
        launcher = endpoint;
        wrong = join_by_hand("rounds", endpoint, {"--rank", "1"});
    };
    options.on_notice = [&](const std::string&) {
        extra = join_by_hand("rounds", launcher, {"--rank", "2"});
    };
    options.children_of_test = 2;
    const auto run = run_fake(options);
    REQUIRE(run.outcome);
    REQUIRE(run.notices.size() == 1);
    CHECK_THAT(run.notices.front(), Catch::Contains("there is no free place for it as node 1 of this run"));
}

TEST_CASE("a worker that is started by hand and killed is named with its host") {
    std::unique_ptr<ChildProcess> extra;
    auto options = one_by_hand();
    options.behaviour = "kill";
    options.on_listening = [&](const std::string& endpoint) { extra = join_by_hand("kill", endpoint); };
    options.children_of_test = 1;
    const auto run = run_fake(options);
    REQUIRE(run.error);
    CHECK(run.error->code() == convoy::ExitCode::node_lost);
    using Catch::Matchers::Matches;
    CHECK_THAT(run.error->what(),
               Matches(R"(node 2 \(pid [0-9]+ on 127.0.0.1\) closed its connection in epoch 1, step [1-5])"));
}

TEST_CASE("a worker that does not know the token is refused, and the run goes on") {
    std::unique_ptr<ChildProcess> wrong, extra;
    std::string launcher;
    auto options = one_by_hand();
    options.on_listening = [&](const std::string& endpoint) {
        launcher = endpoint;
        wrong = join_by_hand("wrong_token", endpoint);
    };
    options.on_notice = [&](const std::string&) { extra = join_by_hand("rounds", launcher); };
    options.children_of_test = 2;
    const auto run = run_fake(options);
    REQUIRE(run.outcome);
    CHECK(run.notices ==
          std::vector<std::string>{"refused a connection from 127.0.0.1: it does not know this run's token"});
    REQUIRE(readable_within(wrong->handle(), 20'000));
    CHECK(wrong->ended() == convoy::ProcessEnd{.by_signal = false, .value = 69});
}

TEST_CASE("a worker that asks for another rank than it proved is refused, and the run goes on") {
    std::unique_ptr<ChildProcess> wrong, extra;
    std::string launcher;
    auto options = one_by_hand();
    options.on_listening = [&](const std::string& endpoint) {
        launcher = endpoint;
        wrong = join_by_hand("unlike_proof", endpoint, {"--rank", "2"});
    };
    options.on_notice = [&](const std::string&) { extra = join_by_hand("rounds", launcher); };
    options.children_of_test = 2;
    const auto run = run_fake(options);
    REQUIRE(run.outcome);
    REQUIRE(run.notices.size() == 1);
    CHECK_THAT(run.notices.front(), Catch::Contains("its hello names another rank than its proof"));
    REQUIRE(readable_within(wrong->handle(), 20'000));
    CHECK(wrong->ended() == convoy::ProcessEnd{.by_signal = false, .value = 65});
}

TEST_CASE("strangers that talk nonsense, or hang up, are refused, and the run goes on") {
    boost::asio::io_context io;
    std::vector<tcp::socket> strangers;
    std::unique_ptr<ChildProcess> extra;
    std::string launcher;
    std::size_t refused = 0;
    auto options = one_by_hand();
    options.on_listening = [&](const std::string& endpoint) {
        launcher = endpoint;
        // A port scanner.
        stranger(io, endpoint).close();
        // A browser.
        const std::string request = "GET / HTTP/1.1\r\nHost: convoy\r\nAccept: text/html, text/plain\r\n\r\n";
        say(strangers.emplace_back(stranger(io, endpoint)), std::as_bytes(std::span(request)));
        // Frames larger than a hello.
        for (const auto bytes : {std::uint64_t{1} << 63U, std::uint64_t{65} << 10U}) {
            convoy::FrameHeader huge;
            huge.payload_bytes = bytes;
            say(strangers.emplace_back(stranger(io, endpoint)), convoy::encode_frame_header(huge));
        }
        // A message that is no hello.
        const auto payload = convoy::encode_message({{"type", "done"}, {"stopped", false}});
        convoy::FrameHeader header;
        header.payload_bytes = payload.size();
        say(strangers.emplace_back(stranger(io, endpoint)), convoy::encode_frame_header(header));
        say(strangers.back(), payload);
        // One that never says a word does not hold up the others.
        strangers.push_back(stranger(io, endpoint));
    };
    options.on_notice = [&](const std::string&) {
        if (++refused == 5) extra = join_by_hand("rounds", launcher);
    };
    options.children_of_test = 1;
    const auto run = run_fake(options);
    REQUIRE(run.outcome);
    CHECK(run.notices.size() == 5);
    CHECK(run.outcome->records.steps.size() == 24);
}

TEST_CASE("a crowd that says nothing keeps nobody out, and is told in few lines") {
    boost::asio::io_context io;
    std::vector<tcp::socket> crowd;
    std::unique_ptr<ChildProcess> extra;
    auto options = one_by_hand();
    options.on_listening = [&](const std::string& endpoint) {
        for (int i = 0; i < 200; ++i) crowd.push_back(stranger(io, endpoint));
        extra = join_by_hand("rounds", endpoint);
    };
    options.children_of_test = 1;
    const auto run = run_fake(options);
    REQUIRE(run.outcome);
    CHECK(run.outcome->records.steps.size() == 24);
    CHECK(run.notices.size() <= 9);
}

TEST_CASE("a connection that never says hello is closed in time") {
    boost::asio::io_context io;
    std::optional<tcp::socket> silent;
    auto options = one_by_hand();
    options.behaviour = "mute";
    options.deadline_s = 0.2;
    options.join_deadline_s = 60;
    options.on_listening = [&](const std::string& endpoint) { silent.emplace(stranger(io, endpoint)); };
    options.on_notice = [&](const std::string&) { ::raise(SIGINT); };
    const auto run = run_fake(options);
    REQUIRE(run.error);
    CHECK(run.error->code() == convoy::ExitCode::interrupted);
    CHECK(run.notices.size() == 1);
}
