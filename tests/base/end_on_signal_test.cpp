#include "base/end_on_signal.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "base/console.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/run_program.hpp"
#include "base/temporary_folder.hpp"
#include "cluster/poll_until.hpp"

using namespace convoy;
using namespace std::chrono_literals;

namespace {

/// The end of a process: its exit code, or minus the signal that ended it, and what it wrote to its errors.
struct Ended {
    int code = 0;
    std::string err;
    bool operator==(const Ended&) const = default;
};

/// A process of its own that does the work and then ends with 7.
class Process {
  public:
    explicit Process(const std::function<void()>& work) {
        auto errors = Pipe::open();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(errors.write_end.get(), STDERR_FILENO);
            ::alarm(60);
            for (const int signal : ending_signals) std::signal(signal, SIG_DFL);  // Catch has handlers
            work();
            ::_exit(7);
        }
        errors_ = std::move(errors.read_end);
    }

    [[nodiscard]] pid_t pid() const { return pid_; }
    Ended end() {
        Ended ended;
        char letter = 0;
        while (::read(errors_.get(), &letter, 1) == 1) ended.err += letter;
        int status = 0;
        ::waitpid(pid_, &status, 0);
        ended.code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
        return ended;
    }

  private:
    pid_t pid_ = -1;
    Descriptor errors_;
};

/// Whether a signal waits for this thread, and not for any thread of the process.
bool has_pending_signal() {
    const auto status = read_text("/proc/thread-self/status");
    const std::string_view label = "SigPnd:\t";
    const auto found = status.find(label);
    return std::stoull(status.substr(found + label.size()), nullptr, 16) != 0;
}

Ended end_of(const std::function<void()>& work) {
    return Process(work).end();
}

}  // namespace

TEST_CASE("a signal ends a process in a phase that says so, with a line and code 130") {
    const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
    CHECK(end_of([&] {
              const EndOnSignal ends("interrupted; x\ty is kept");
              ::raise(signal);
          }) == Ended{130, "convoy: interrupted; x\\ty is kept\n"});
}

TEST_CASE("each phase has a line of its own, and behind it the one around it") {
    const bool within = GENERATE(true, false);
    CHECK(end_of([&] {
              const EndOnSignal outer("outer");
              {
                  const EndOnSignal inner("inner");
                  if (within) ::raise(SIGTERM);
              }
              ::raise(SIGTERM);
          }) == Ended{130, within ? "convoy: inner\n" : "convoy: outer\n"});
    CHECK(end_of([] {
              { const EndOnSignal inner("inner"); }
              ::raise(SIGTERM);
          }) == Ended{-SIGTERM, ""});
}

TEST_CASE("a hangup that is ignored ends nothing") {
    CHECK(end_of([] {
              std::signal(SIGHUP, SIG_IGN);
              const EndOnSignal ends;
              ::raise(SIGHUP);
          }) == Ended{7, ""});
}

TEST_CASE("a signal that is ignored ends no program that was started, also while it is held") {
    CHECK(end_of([] {
              std::signal(SIGHUP, SIG_IGN);
              const HeldSignals held;
              ::raise(SIGHUP);
              if (!run_program({"true"}, "", 20s).in_time) say_plainly("killed");
          }) == Ended{7, ""});
}

TEST_CASE("a process whose errors nobody reads is ended all the same") {
    CHECK(end_of([] {
              auto full = Pipe::open();
              ::fcntl(full.write_end.get(), F_SETFL, O_NONBLOCK);
              while (::write(full.write_end.get(), "x", 1) == 1) {
              }
              ::fcntl(full.write_end.get(), F_SETFL, 0);
              ::dup2(full.write_end.get(), STDERR_FILENO);
              const EndOnSignal ends;
              ::raise(SIGTERM);
          }) == Ended{130, ""});
}

TEST_CASE("a signal that is held comes later, or not before the process has said its error") {
    CHECK(end_of([] {
              const EndOnSignal ends("late");
              const HeldSignals held;
              ::raise(SIGTERM);
              say_plainly("held");
              // It comes at the end of the life of `held`.
          }) == Ended{130, "held\nconvoy: late\n"});
    CHECK(end_of([] {
              const EndOnSignal ends("late");
              {
                  HeldSignals held;
                  ::raise(SIGTERM);
                  held.stay();
              }
              say_plainly("said");
              ::_exit(3);
          }) == Ended{3, "said\n"});
    CHECK(end_of([] {
              const HeldSignals held;
              let_waiting_signals_end("not yet");
              ::raise(SIGTERM);
              let_waiting_signals_end("here");
          }) == Ended{130, "convoy: here\n"});
}

TEST_CASE("a signal that is held comes to no other thread instead") {
    CHECK(end_of([] {
              const EndOnSignal ends("late");
              std::thread([] {
                  while (true) ::pause();
              }).detach();
              const HeldSignals held;
              ::kill(::getpid(), SIGTERM);
              while (!has_pending_signal()) std::this_thread::yield();
              say_plainly("held");
          }) == Ended{130, "held\nconvoy: late\n"});
}

TEST_CASE("a program receives signals and waits for its children, whatever it has inherited") {
    CHECK(end_of([] {
              std::signal(SIGCHLD, SIG_IGN);
              HeldSignals inherited;
              inherited.stay();
              receive_signals();
              if (run_program({"sh", "-c", "exit 4"}, "", 60s).code != 4) ::_exit(1);
              const EndOnSignal ends;
              ::raise(SIGINT);
          }) == Ended{130, "convoy: interrupted\n"});
}

TEST_CASE("a program that was started ends before its process does") {
    const TemporaryFolder folder;
    const auto file = (folder / "pid").string();
    REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
    const Descriptor reader(::open(file.c_str(), O_RDWR | O_CLOEXEC));
    Process process([&] {
        const EndOnSignal ends;
        run_program({"sh", "-c", "echo $$ > \"$0\"; exec sleep 1000", file}, "", 600s);
    });
    REQUIRE(readable_within(reader.get(), 60'000));
    std::string text(32, '\0');
    REQUIRE(::read(reader.get(), text.data(), text.size()) > 0);
    ::kill(process.pid(), SIGTERM);
    CHECK(process.end().code == 130);
    CHECK(::kill(std::stoi(text), 0) == -1);
    CHECK(errno == ESRCH);
}

TEST_CASE("a signal leaves no temporary file of a file that is written as a whole") {
    const TemporaryFolder folder;
    CHECK(end_of([&] {
              const EndOnSignal ends;
              // The first write beyond the limit raises SIGXFSZ, whose handler is a moment within
              // write_whole.
              std::signal(SIGXFSZ, [](int) { ::kill(::getpid(), SIGTERM); });
              const rlimit small{.rlim_cur = 4, .rlim_max = RLIM_INFINITY};
              ::setrlimit(RLIMIT_FSIZE, &small);
              try {
                  write_whole(folder / "file", std::string_view("longer than the limit"));
              } catch (const OutputError&) {
              }
          }).code == 130);
    CHECK(names_in(folder.path()).empty());
}
