#include "convoy_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/descriptor.hpp"

namespace convoy::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Throws if it is later than `end`.
void require_before(Clock::time_point end, const std::string& what) {
    if (Clock::now() >= end) throw std::runtime_error("waited too long for " + what);
}

/// In the child: nothing here may allocate before exec, so all is made ready by the parent.
[[noreturn]] void become_convoy(const std::vector<char*>& words, const ProcessSettings& settings, int out,
                                int err) {
    ::dup2(out, STDOUT_FILENO);
    ::dup2(err, STDERR_FILENO);
    if (!settings.data.empty()) ::setenv("CONVOY_DATA", settings.data.c_str(), 1);
    if (!settings.path.empty()) ::setenv("PATH", settings.path.c_str(), 1);
    if (settings.most_file_bytes > 0) {
        const rlimit limit{settings.most_file_bytes, settings.most_file_bytes};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        ::signal(SIGXFSZ, SIG_IGN);
    }
    if (settings.most_address_bytes > 0) {
        const rlimit limit{settings.most_address_bytes, settings.most_address_bytes};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    if (settings.deaf) {
        sigset_t all;
        ::sigfillset(&all);
        ::sigprocmask(SIG_SETMASK, &all, nullptr);
        ::signal(SIGCHLD, SIG_IGN);
    }
    ::execv(words[0], words.data());
    ::_exit(127);
}

/// A pseudo-terminal: our end, then that of the process. It writes each line feed as a carriage return and
/// one.
bool open_terminal(std::array<int, 2>& ends, unsigned short width) {
    const winsize size{.ws_row = 25, .ws_col = width, .ws_xpixel = 0, .ws_ypixel = 0};
    if (::openpty(&ends[0], &ends[1], nullptr, nullptr, &size) != 0) return false;
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
    return true;
}

}  // namespace

ConvoyProcess::ConvoyProcess(const std::vector<std::string>& arguments, const ProcessSettings& settings) {
    std::vector<std::string> owned{CONVOY_PROGRAM};
    owned.insert(owned.end(), arguments.begin(), arguments.end());
    std::vector<char*> words;
    for (auto& word : owned) words.push_back(word.data());
    words.push_back(nullptr);
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if ((settings.terminal_width > 0 ? !open_terminal(out, settings.terminal_width)
                                     : ::pipe2(out.data(), O_CLOEXEC) != 0) ||
        ::pipe2(err.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ == 0) become_convoy(words, settings, out[1], err[1]);
    ::close(out[1]);
    ::close(err[1]);
    out_ = out[0];
    err_ = err[0];
    if (pid_ < 0) throw std::runtime_error("no process");
}

ConvoyProcess::~ConvoyProcess() {
    if (pid_ > 0) {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    for (const int end : {out_, err_}) {
        if (end >= 0) ::close(end);
    }
}

bool ConvoyProcess::read_some(int milliseconds) {
    std::array<pollfd, 2> ends{{{out_, POLLIN, 0}, {err_, POLLIN, 0}}};
    if (out_ < 0 && err_ < 0) return false;
    if (::poll(ends.data(), ends.size(), milliseconds) < 0) return errno == EINTR;
    const auto take = [](const pollfd& end, int& descriptor, std::string& text) {
        if (end.fd < 0 || end.revents == 0) return;
        std::array<char, 4096> piece{};
        const auto count = ::read(end.fd, piece.data(), piece.size());
        if (count > 0) {
            text.append(piece.data(), static_cast<std::size_t>(count));
        } else {
            ::close(descriptor);
            descriptor = -1;
        }
    };
    take(ends[0], out_, out_text_);
    take(ends[1], err_, err_text_);
    return true;
}

bool ConvoyProcess::wait_until(const std::function<bool()>& is_true) {
    constexpr int pause_ms = 5;
    const auto end = Clock::now() + patience;
    while (!is_true()) {
        require_before(end, "what a test expects of process " + std::to_string(pid_));
        if (!read_some(pause_ms)) return is_true();  // full pipes would hold the process up
    }
    return true;
}

bool ConvoyProcess::wait_for_error_text(const std::string& text) {
    constexpr int pause_ms = 1000;
    const auto end = Clock::now() + patience;
    while (err_text_.find(text) == std::string::npos) {
        require_before(end, "\"" + text + "\"");
        if (!read_some(pause_ms)) return false;
    }
    return true;
}

void ConvoyProcess::signal(int number) const {
    ::kill(pid_, number);
}

// Under tsan, a handler runs when the process makes its next call, so a process that a signal reaches right
// before it waits would go on to wait.
Outcome ConvoyProcess::end_by(int number) {
    signal(number);
    if (has_thread_sanitizer) {
        constexpr int pause_ms = 1000;
        const auto end = Clock::now() + patience;
        while (read_some(pause_ms)) {
            require_before(end, "the end of process " + std::to_string(pid_));
            if (is_running()) signal(number);
        }
    }
    return wait();
}

bool ConvoyProcess::is_running() const {
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
}

Outcome ConvoyProcess::wait() {
    while (read_some()) {
    }
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), out_text_, err_text_};
}

std::vector<pid_t> ConvoyProcess::children() const {
    const auto id = std::to_string(pid_);
    std::ifstream listing("/proc/" + id + "/task/" + id + "/children");
    std::vector<pid_t> found;
    for (pid_t child = 0; listing >> child;) found.push_back(child);
    return found;
}

Outcome run_convoy(const std::vector<std::string>& arguments, const ProcessSettings& settings) {
    return ConvoyProcess(arguments, settings).wait();
}

void wait_until_gone(pid_t pid) {
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (process.get() < 0) return;
    pollfd gone{process.get(), POLLIN, 0};
    constexpr int bound_ms = 30'000;
    const int ready = ::poll(&gone, 1, bound_ms);
    if (ready != 1) throw std::runtime_error("process " + std::to_string(pid) + " still lives");
}

}  // namespace convoy::test
