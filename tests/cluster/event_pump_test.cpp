#include "cluster/event_pump.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace convoy;

namespace {

std::string name_of(const MembershipEvent& event) {
    if (std::holds_alternative<event::StopWanted>(event)) return "stop wanted";
    if (std::holds_alternative<event::Signalled>(event)) return "signalled";
    if (std::holds_alternative<event::LauncherFailed>(event)) return "launcher failed";
    if (std::holds_alternative<event::TimePassed>(event)) return "time passed";
    return "another";
}

/// A machine that writes down its calls.
struct Written {
    boost::asio::io_context io;
    std::vector<std::string> calls;
    std::function<void(const std::string&)> on_event = [](const std::string&) {};
    std::function<bool()> on_settle = [] { return false; };
    std::optional<TimePoint> due;
    EventPump pump{io,
                   {.handle =
                        [this](MembershipEvent event) {
                            const auto name = name_of(event);
                            calls.push_back(name);
                            on_event(name);
                        },
                    .settle =
                        [this] {
                            calls.emplace_back("settle");
                            return on_settle();
                        },
                    .rest = [this] { calls.emplace_back("rest"); },
                    .next_due = [this] { return std::exchange(due, std::nullopt); }}};
};

using Calls = std::vector<std::string>;

}  // namespace

TEST_CASE("an event that comes while another is handled waits for its turn") {
    Written written;
    written.on_event = [&](const std::string& name) {
        if (name != "stop wanted") return;
        written.pump.deliver(event::Signalled{});
        written.calls.emplace_back("stop carried out");
    };
    written.pump.deliver(event::StopWanted{});
    CHECK(written.calls == Calls{"stop wanted", "stop carried out", "signalled", "settle", "rest"});
}

TEST_CASE("the machine settles until it wants nothing more and no event is left") {
    Written written;
    int times = 0;
    written.on_settle = [&] {
        if (++times == 2) written.pump.deliver(event::Signalled{});
        return times == 1;
    };
    written.pump.deliver(event::StopWanted{});
    CHECK(written.calls == Calls{"stop wanted", "settle", "settle", "signalled", "settle", "rest"});
}

TEST_CASE("the machine gets the events of its beginning behind it") {
    Written written;
    written.pump.begin([&] {
        written.pump.deliver(event::Signalled{});
        written.calls.emplace_back("begun");
    });
    CHECK(written.calls == Calls{"begun", "signalled", "settle", "rest"});
    CHECK_THROWS_AS(written.pump.begin([] { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST_CASE("an exception of the machine is told to it once, and kept") {
    Written written;
    written.on_event = [&](const std::string& name) { throw std::runtime_error(name); };
    written.pump.deliver(event::StopWanted{});
    CHECK(written.calls == Calls{"stop wanted", "launcher failed", "rest"});
    REQUIRE(written.pump.bug());
    CHECK_THROWS_WITH(std::rethrow_exception(written.pump.bug()), "stop wanted");
}

TEST_CASE("an exception of a machine that settles is told to it once, and kept") {
    Written written;
    written.on_settle = []() -> bool { throw std::runtime_error("cannot settle"); };
    written.pump.deliver(event::StopWanted{});
    CHECK(written.calls == Calls{"stop wanted", "settle", "launcher failed", "rest"});
    REQUIRE(written.pump.bug());
    CHECK_THROWS_WITH(std::rethrow_exception(written.pump.bug()), "cannot settle");
    written.calls.clear();
    written.pump.deliver(event::Signalled{});
    CHECK(written.calls == Calls{"signalled", "rest"});
}

TEST_CASE("an exception of the loop is told to the machine, and the loop goes on") {
    Written written;
    boost::asio::post(written.io, [] { throw std::runtime_error("a handler"); });
    boost::asio::post(written.io, [&] { written.pump.deliver(event::Signalled{}); });
    written.pump.run();
    CHECK(written.calls == Calls{"launcher failed", "rest", "signalled", "rest"});
    CHECK_THROWS_WITH(std::rethrow_exception(written.pump.bug()), "a handler");
}

TEST_CASE("the machine hears when its time has come, unless it stops waiting") {
    Written written;
    written.due = Clock::now();
    written.pump.deliver(event::StopWanted{});
    written.pump.run();
    CHECK(written.calls == Calls{"stop wanted", "settle", "rest", "time passed", "settle", "rest"});

    written.calls.clear();
    written.io.restart();
    written.due = Clock::now() + std::chrono::hours(1);
    written.pump.deliver(event::StopWanted{});
    written.pump.stop_waiting();
    written.pump.run();
    CHECK(written.calls == Calls{"stop wanted", "settle", "rest"});
}
