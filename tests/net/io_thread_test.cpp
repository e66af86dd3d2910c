#include "net/io_thread.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

using convoy::IoThread;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

bool nothing_more() {
    return false;
}

/// In which thread the context runs work that is posted now.
std::future<std::thread::id> whose_turn(IoThread& io) {
    auto answer = std::make_shared<std::promise<std::thread::id>>();
    auto future = answer->get_future();
    asio::post(io.context(), [answer] { answer->set_value(std::this_thread::get_id()); });
    return future;
}

bool ready(const std::future<std::thread::id>& future) {
    return future.wait_for(0s) == std::future_status::ready;
}

}  // namespace

TEST_CASE("a guest runs the work itself, and the own thread goes on behind it") {
    const auto spin = GENERATE(0us, 50us);
    const auto more = GENERATE(true, false);
    IoThread io;
    io.set_spin(spin, spin);
    const auto own = whose_turn(io).get();
    CHECK(own != std::this_thread::get_id());
    for (int i = 0; i < 50; ++i) {
        std::future<std::thread::id> answer;
        const auto done = [&] {
            if (!answer.valid()) answer = whose_turn(io);
            return ready(answer);
        };
        REQUIRE(io.run_until(done, [more] { return more; }));
        REQUIRE(answer.get() == std::this_thread::get_id());
        if (i % 5 == 0) REQUIRE(whose_turn(io).get() == own);
    }
}

TEST_CASE("there is one guest at a time") {
    IoThread io;
    bool second_ran = true;
    REQUIRE(io.run_until(
        [&] {
            second_ran = std::async(std::launch::async, [&] {
                             return io.run_until([] { return true; }, nothing_more);
                         }).get();
            return true;
        },
        nothing_more));
    CHECK_FALSE(second_ran);
}

TEST_CASE("work that is posted while nobody runs the context is done when it resumes, or soon") {
    IoThread io;
    for (int i = 0; i < 50; ++i) {
        REQUIRE(io.run_until([] { return true; }, nothing_more));
        const auto answer = whose_turn(io);
        if (i % 2 == 0) io.resume();
        answer.wait();
    }
}

TEST_CASE("an IoThread ends at once, whoever ran it last") {
    for (int i = 0; i < 20; ++i) {
        IoThread io;
        if (i % 2 == 0) io.run_until([] { return true; }, nothing_more);
    }
}

TEST_CASE("waiting threads spin where each has a core") {
    CHECK(convoy::suggested_spin(2, 2) > 0us);
    CHECK(convoy::suggested_spin(3, 2) == 0us);
}
