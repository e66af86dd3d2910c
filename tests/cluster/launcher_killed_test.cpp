#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>

#include "cluster/fake_run.hpp"
#include "cluster/poll_until.hpp"

namespace {

/// In a process of its own: launches busy workers, whose standard error is the pipe.
[[noreturn]] void launch_for_ever(int pipe) {
    ::dup2(pipe, STDERR_FILENO);
    convoy::LaunchObserver observer;
    try {
        convoy::launch(fake_launch_options({.behaviour = "busy", .nodes = 3}), observer);
    } catch (const convoy::Error&) {
    }
    ::_exit(0);
}

}  // namespace

TEST_CASE("when the launcher is killed its workers end, though they are busy computing") {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe2(pipe.data(), O_CLOEXEC) == 0);
    const pid_t launcher = ::fork();
    if (launcher == 0) launch_for_ever(pipe[1]);
    ::close(pipe[1]);

    // Each worker says one letter once it computes, and holds the pipe open for as long as it lives.
    char letter = 0;
    for (int busy = 0; busy < 3; ++busy) {
        REQUIRE(readable_within(pipe[0], 60'000));
        REQUIRE(::read(pipe[0], &letter, 1) == 1);
        CHECK(letter == 'b');
    }
    REQUIRE(::kill(launcher, SIGKILL) == 0);
    REQUIRE(::waitpid(launcher, nullptr, 0) == launcher);
    REQUIRE(readable_within(pipe[0], 10'000));
    CHECK(::read(pipe[0], &letter, 1) == 0);
    ::close(pipe[0]);
}
