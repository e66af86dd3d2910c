#include "cluster/user_signals.hpp"

#include <signal.h>

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <chrono>

using namespace convoy;

namespace {

bool is_pending(int signal) {
    sigset_t pending;
    ::sigpending(&pending);
    return ::sigismember(&pending, signal) == 1;
}

/// Takes a signal that waits.
void take_away(int signal) {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, signal);
    const timespec at_once{};
    ::sigtimedwait(&set, nullptr, &at_once);
}

}  // namespace

TEST_CASE("signals reach the loop while it listens, and wait before and afterwards") {
    boost::asio::io_context io;
    int taken = 0;
    UserSignals signals(io, [&] {
        if (++taken < 3) {
            std::raise(SIGTERM);
        } else {
            signals.stop();
        }
    });
    signals.listen();
    std::raise(SIGINT);
    CHECK(is_pending(SIGINT));
    signals.let_through();
    io.run();
    CHECK(taken == 3);
    std::raise(SIGTERM);
    CHECK(is_pending(SIGTERM));
    signals.pass_on();
    CHECK(is_pending(SIGTERM));
    CHECK(taken == 3);
    take_away(SIGTERM);
}

TEST_CASE("a signal that comes in the last handler of the loop waits for whoever listens next") {
    boost::asio::io_context io;
    int taken = 0;
    UserSignals signals(io, [&taken] { ++taken; });
    signals.listen();
    signals.let_through();
    boost::asio::post(io, [&signals] {
        std::raise(SIGINT);
        signals.stop();
    });
    io.run();
    CHECK_FALSE(is_pending(SIGINT));
    signals.pass_on();
    CHECK(is_pending(SIGINT));
    CHECK(taken == 0);
    take_away(SIGINT);
}

TEST_CASE("a signal whose handler is behind the loop's last one waits for whoever listens next") {
    boost::asio::io_context io;
    int taken = 0;
    UserSignals signals(io, [&taken] { ++taken; });
    signals.listen();
    std::raise(SIGINT);
    signals.let_through();
    // The loop has seen the signal when it comes to the inner one.
    boost::asio::post(io, [&] { boost::asio::post(io, [&] { signals.stop(); }); });
    io.run_for(std::chrono::seconds(60));
    CHECK(taken == 0);
    signals.pass_on();
    CHECK(is_pending(SIGINT));
    CHECK(taken == 0);
    take_away(SIGINT);
}

TEST_CASE("without a signal nothing is passed on") {
    boost::asio::io_context io;
    UserSignals signals(io, [] { FAIL("there was no signal"); });
    signals.listen();
    signals.let_through();
    boost::asio::post(io, [&signals] { signals.stop(); });
    io.run();
    signals.pass_on();
    for (const int signal : ending_signals) CHECK_FALSE(is_pending(signal));
}
