#include "base/run_program.hpp"

#include <catch2/catch.hpp>
#include <csignal>

#include "base/error.hpp"
#include "support/careless_signals.hpp"

using namespace convoy;
using namespace std::chrono_literals;

TEST_CASE("a program reads its input and leaves what it wrote, however long") {
    const std::string input(3'000'000, 'x');
    const auto copied = run_program({"cat"}, input, 60s);
    CHECK(copied.code == 0);
    CHECK(copied.in_time);
    CHECK(copied.out == input);
    CHECK(copied.err.empty());
    const auto deaf = run_program({"true"}, input, 60s);
    CHECK(deaf.code == 0);
    CHECK(deaf.out.empty());
}

TEST_CASE("a program's arguments are words, and no shell reads them") {
    CHECK(run_program({"printf", "%s|", "a b", "$HOME", "`id`"}, "", 60s).out == "a b|$HOME|`id`|");
}

TEST_CASE("how a program ended is told") {
    const auto failed = run_program({"sh", "-c", "echo said >&2; exit 3"}, "", 60s);
    CHECK(failed.code == 3);
    CHECK(failed.err == "said\n");
    CHECK(run_program({"sh", "-c", "kill -9 $$"}, "", 60s).code == -SIGKILL);
}

TEST_CASE("a program that takes too long is killed, and what it wrote is kept") {
    const auto slow = run_program({"sh", "-c", "echo begun; exec sleep 1000"}, "", 300ms);
    CHECK_FALSE(slow.in_time);
    CHECK(slow.code == -SIGKILL);
    CHECK(slow.out == "begun\n");
    CHECK_FALSE(run_program({"sh", "-c", "exec >&- 2>&-; exec sleep 1000"}, "", 300ms).in_time);
}

TEST_CASE("a program that is not there is named") {
    CHECK_THROWS_AS(run_program({"no-such-program"}, "", 1s), MissingFileError);
    CHECK_THROWS_WITH(run_program({"/no/such/program"}, "", 1s),
                      "/no/such/program: cannot be started: No such file or directory");
}

TEST_CASE("a program begins with no signal blocked or ignored, whatever this process does") {
    const test::CarelessSignals careless;
    CHECK(run_program({"sh", "-c", test::has_clean_signals(0)}, "", 60s).code == 0);
}

TEST_CASE("a program ignores the end of the terminal where this process does") {
    auto* const before = std::signal(SIGHUP, SIG_IGN);
    CHECK(run_program({"sh", "-c", test::has_clean_signals(1)}, "", 60s).code == 0);
    std::signal(SIGHUP, before);
}
