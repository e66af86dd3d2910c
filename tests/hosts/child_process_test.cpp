#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "cluster/poll_until.hpp"
#include "hosts/child_process.hpp"
#include "support/careless_signals.hpp"
#include "support/no_descriptors.hpp"
#include "support/sanitized.hpp"

using convoy::ChildProcess;
using convoy::ProcessEnd;

namespace {

ProcessEnd end_of(ChildProcess& child) {
    REQUIRE(readable_within(child.handle(), 20'000));
    return child.ended().value();
}

}  // namespace

TEST_CASE("a child's exit code is told and it is reaped") {
    ChildProcess child({"/bin/sh", "-c", "exit 3"}, {});
    const auto end = end_of(child);
    CHECK(end == ProcessEnd{.by_signal = false, .value = 3});
    CHECK(end.text() == "ended with exit code 3");
    CHECK(::kill(child.pid(), 0) == -1);
    CHECK(errno == ESRCH);
}

TEST_CASE("a child's signal is told") {
    ChildProcess child({"/bin/sh", "-c", "kill -9 $$"}, {});
    CHECK(end_of(child).text() == "was killed by signal 9 (Killed)");
}

TEST_CASE("a child gets the environment, ignores SIGINT and has no other file of its parent's") {
    ChildProcess child({"/bin/sh", "-c",
                        R"sh([ "$CONVOY_TEST" = "a b" ] && [ -n "$PATH" ] && kill -INT $$ && )sh"
                        R"sh([ "$(readlink /proc/$$/fd/0)" = /dev/null ] && exit 9)sh"},
                       {.environment = {{"CONVOY_TEST", "a b"}}});
    CHECK(end_of(child) == ProcessEnd{.by_signal = false, .value = 9});

    REQUIRE(::dup2(STDERR_FILENO, 77) == 77);
    ChildProcess other({"/bin/sh", "-c", "[ ! -e /proc/$$/fd/77 ]"}, {});
    CHECK(end_of(other) == ProcessEnd{});
    ::close(77);
}

TEST_CASE("a child inherits no signals that its parent blocks, ignores or handles") {
    const convoy::test::CarelessSignals careless;
    ChildProcess child({"/bin/sh", "-c", convoy::test::has_clean_signals(3)});
    CHECK(end_of(child) == ProcessEnd{});
}

TEST_CASE("a child gets one file of its parent's, under the number that is agreed") {
    auto pair = convoy::SocketPair::open();
    REQUIRE(pair);
    // Also if the file has this number already, or another file has it.
    const auto control = GENERATE(0, convoy::child_control, 77);
    const convoy::Descriptor kept(::fcntl(convoy::child_control, F_DUPFD_CLOEXEC, 100));
    if (control != 0) REQUIRE(::dup2(pair.other.get(), control) == control);
    ChildProcess child({"/bin/sh", "-c", "echo here >&3; [ ! -e /proc/$$/fd/77 ]"},
                       {.control = control == 0 ? pair.other.get() : control});
    CHECK(end_of(child) == ProcessEnd{});
    if (control != 0) ::close(control);
    if (kept.get() >= 0) REQUIRE(::dup2(kept.get(), convoy::child_control) == convoy::child_control);
    std::array<char, 5> word{};
    REQUIRE(::read(pair.one.get(), word.data(), word.size()) == 5);
    CHECK(std::string(word.data(), word.size()) == "here\n");
}

// The sanitizer of threads puts fork in the place of vfork.
TEST_CASE("a child begins without the handlers that libraries have registered for fork",
          convoy::test::left_out(convoy::test::has_thread_sanitizer)) {
    static int forks = 0;
    REQUIRE(::pthread_atfork([] { ++forks; }, nullptr, nullptr) == 0);
    ChildProcess child({"/bin/true"});
    CHECK(end_of(child) == ProcessEnd{});
    CHECK(forks == 0);
}

TEST_CASE("a child ends with the object that holds it") {
    pid_t pid = 0;
    {
        const ChildProcess child({"/bin/sh", "-c", "kill -STOP $$"}, {});
        pid = child.pid();
        CHECK(::kill(pid, 0) == 0);
    }
    CHECK(::kill(pid, 0) == -1);
    CHECK(errno == ESRCH);
}

TEST_CASE("a program that is not there is an error that names it") {
    CHECK_THROWS_WITH(ChildProcess({"/nowhere/convoy", "worker"}, {}),
                      "cannot start /nowhere/convoy: No such file or directory");
    CHECK(::waitpid(-1, nullptr, WNOHANG) == -1);
    CHECK(errno == ECHILD);
}

TEST_CASE("a child that has no descriptor left tells why it does not begin",
          convoy::test::left_out(convoy::test::is_sanitized)) {
    rlim_t next = 0;
    {
        const auto pipe = convoy::Pipe::open();
        next = static_cast<rlim_t>(pipe.write_end.get()) + 1;
    }
    // The pipe by which a child tells its errors is the last that can be opened.
    const convoy::test::NoDescriptors none(next);
    CHECK_THROWS_WITH(ChildProcess({"/bin/true"}, {}), "cannot start /bin/true: Too many open files");
}
