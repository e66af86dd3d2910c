#include "cluster/run_starter.hpp"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <string>

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

class DetailListener final : public LaunchObserver {
  public:
    void on_detail(const std::string& line) override { details += line + "\n"; }
    std::string details = {};
};

/// A run of two nodes, of which the launcher starts the first: a shell that runs this command.
LaunchOptions half_by_hand(const std::string& command) {
    LaunchOptions options;
    options.spec.nodes.assign(2, NodeSpec{.threads = 1});
    options.local_nodes = 1;
    options.worker_command = {"/bin/sh", "-c", command};
    return options;
}

}  // namespace

TEST_CASE("a run's starter starts the nodes of this machine, and leaves those that join by hand alone") {
    boost::asio::io_context io;
    DetailListener listener;
    const auto options = half_by_hand("echo I am here >&2; exec sleep 600");
    RunStarter starter(io.get_executor(), options, listener);
    starter.open();
    CHECK(starter.address().to_string() == "127.0.0.1");
    CHECK_FALSE(starter.network());
    std::string lines;
    std::optional<NodeProcessEnd> ended;
    const NodeWatch watch{.on_end = [&](const NodeProcessEnd& end) { ended = end; },
                          .on_line = [&](const std::string& line) { lines += line; }};
    CHECK_FALSE(starter.start({.rank = 1, .threads = 1}, watch));
    CHECK(listener.details.empty());

    const auto started = starter.start({.rank = 0, .threads = 1}, watch);
    REQUIRE(started);
    CHECK(started->host == "127.0.0.1");
    CHECK_THAT(listener.details,
               Contains("started node 0 (pid " + std::to_string(started->pid) + ") on 127.0.0.1"));
    const auto handle_until = [&](const auto& condition) {
        while (!condition()) REQUIRE(io.run_one_for(std::chrono::seconds(20)) == 1);
    };
    handle_until([&] { return lines == "I am here"; });
    SECTION("a signal reaches the process") {
        starter.signal(0, SIGUSR1);
        handle_until([&] { return ended.has_value(); });
        CHECK_THAT(ended->how, Contains("signal 10"));
    }
    SECTION("it is ended by SIGTERM") {
        starter.end(0, false);
        handle_until([&] { return ended.has_value(); });
        CHECK_THAT(ended->how, Contains("signal 15"));
    }
    SECTION("or by force") {
        starter.end(0, true);
        handle_until([&] { return ended.has_value(); });
        CHECK_THAT(ended->how, Contains("signal 9"));
    }
    CHECK_FALSE(ended->well);
    CHECK(starter.remove_hosts().empty());
}
