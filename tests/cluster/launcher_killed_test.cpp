#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "cluster/fake_run.hpp"
#include "cluster/poll_until.hpp"

namespace {

/// Tells of each node that is busy, by one letter through a pipe.
class TellingObserver : public convoy::LaunchObserver {
  public:
    explicit TellingObserver(int pipe) : pipe_(pipe) {}
    void on_node_line(std::int64_t /*rank*/, const std::string& line) override {
        [[maybe_unused]] const auto written = ::write(pipe_, line.data(), 1);
    }

  private:
    int pipe_;
};

/// In a process of its own: launches busy workers.
[[noreturn]] void launch_for_ever(int pipe) {
    TellingObserver observer(pipe);
    try {
        convoy::launch(fake_launch_options({.behaviour = "busy", .nodes = 3}), observer);
    } catch (const convoy::Error&) {
    }
    ::_exit(0);
}

std::vector<convoy::Descriptor> children_of(pid_t launcher) {
    const auto id = std::to_string(launcher);
    std::ifstream listing("/proc/" + id + "/task/" + id + "/children");
    std::vector<convoy::Descriptor> handles;
    for (pid_t child = 0; listing >> child;)
        handles.emplace_back(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    return handles;
}

}  // namespace

TEST_CASE("when the launcher is killed its workers end, though they are busy computing") {
    auto pipe = convoy::Pipe::open();
    REQUIRE(pipe);
    const pid_t launcher = ::fork();
    if (launcher == 0) launch_for_ever(pipe.write_end.get());
    pipe.write_end.reset();

    char letter = 0;
    for (int busy = 0; busy < 3; ++busy) {
        REQUIRE(readable_within(pipe.read_end.get(), 60'000));
        REQUIRE(::read(pipe.read_end.get(), &letter, 1) == 1);
        CHECK(letter == 'b');
    }
    const auto workers = children_of(launcher);
    REQUIRE(workers.size() == 3);
    REQUIRE(::kill(launcher, SIGKILL) == 0);
    REQUIRE(::waitpid(launcher, nullptr, 0) == launcher);
    for (const auto& worker : workers) CHECK(readable_within(worker.get(), 10'000));
}
