#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "base/descriptor.hpp"
#include "small_experiment.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

/// A process that opens silent connections to every new port of an address.
class SilentCrowd {
  public:
    explicit SilentCrowd(const std::string& address) {
        auto pipe = Pipe::open();
        REQUIRE(pipe);
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(pipe.write_end.get(), STDOUT_FILENO);
            ::execlp("python3", "python3", SILENT_CROWD, address.c_str(), nullptr);
            ::_exit(127);
        }
        out_ = std::move(pipe.read_end);
        pipe.write_end.reset();
        REQUIRE(line() == "ready");
    }
    SilentCrowd(const SilentCrowd&) = delete;
    SilentCrowd& operator=(const SilentCrowd&) = delete;
    SilentCrowd(SilentCrowd&&) = delete;
    SilentCrowd& operator=(SilentCrowd&&) = delete;
    ~SilentCrowd() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }

    /// Ends it. Returns the number of connections that it made.
    int end() {
        ::kill(pid_, SIGTERM);
        return std::stoi(line());
    }

  private:
    std::string line() {
        std::string text;
        for (char letter = 0; ::read(out_.get(), &letter, 1) == 1 && letter != '\n';) text += letter;
        return text;
    }

    pid_t pid_ = -1;
    Descriptor out_;
};

}  // namespace

TEST_CASE("runs end well beside somebody who opens 100 silent connections to every new port") {
    // An address of this test's own, so that other tests are left alone.
    const auto id = ::getpid();
    const auto address = "127." + std::to_string(1 + id % 250) + "." + std::to_string(id / 250 % 250) + ".77";
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    // Each run listens on two ports of data at least; on a busy machine the crowd comes too late to some of
    // them.
    int connections = 0;
    for (int run = 0; run < 40 && connections < 400; ++run) {
        SilentCrowd crowd(address);
        const auto out = folder / ("run" + std::to_string(run));
        const auto outcome = run_convoy({"run", spec, "--out", out.string(), "--listen", address});
        INFO(outcome.err);
        CHECK(outcome.code == 0);
        connections += crowd.end();
    }
    CHECK(connections >= 400);
}
