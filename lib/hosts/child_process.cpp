#include "hosts/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "base/error.hpp"

namespace convoy {

namespace {

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& additions) {
    std::vector<std::string> merged;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        if (!additions.contains(std::string(text.substr(0, text.find('='))))) merged.emplace_back(text);
    }
    for (const auto& [name, value] : additions) merged.push_back(name + "=" + value);
    return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (auto& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

/// Moves this process, which has one thread, to a host. False: errno says why not.
bool enter(const HostEntrance& host) {
    for (const auto& group : host.control_groups)
        if (::write(group.get(), "0", 1) != 1) return false;  // 0 means who writes it
    return ::setns(host.network.get(), CLONE_NEWNET) == 0;
}

/// Runs in the new process, between fork and exec: only async-signal-safe calls, no allocation.
[[noreturn]] void become(char* const* arguments, char* const* environment, const HostEntrance* host,
                         pid_t parent, int error_pipe) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A parent that ended before the line above sends no signal any more.
    if (::getppid() != parent) ::_exit(0);

    ::signal(SIGINT, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);

    const int nothing = ::open("/dev/null", O_RDONLY);
    const bool ready = (host == nullptr || enter(*host)) && nothing >= 0 &&
                       ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 &&
                       ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
    if (ready) ::execve(arguments[0], arguments, environment);
    const int reason = errno;
    [[maybe_unused]] const auto written = ::write(error_pipe, &reason, sizeof reason);
    ::_exit(127);
}

}  // namespace

std::string ProcessEnd::text() const {
    if (by_signal) return fmt::format("was killed by signal {} ({})", value, ::strsignal(value));
    return fmt::format("ended with exit code {}", value);
}

ChildProcess::ChildProcess(const std::vector<std::string>& command,
                           const std::map<std::string, std::string>& environment, const HostEntrance* host) {
    auto argument_texts = command;
    auto environment_texts = merged_environment(environment);
    const auto arguments = pointers(argument_texts);
    const auto variables = pointers(environment_texts);
    auto error = Pipe::open();
    if (!error) throw ClusterError(fmt::format("cannot start a process: {}", std::strerror(errno)));

    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) become(arguments.data(), variables.data(), host, parent, error.write_end.get());
    if (pid_ < 0)
        throw ClusterError(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));

    // The pipe ends without a word once exec has worked.
    error.write_end.reset();
    int reason = 0;
    ssize_t got = 0;
    do got = ::read(error.read_end.get(), &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    // By its number: glibc 2.36 declares pidfd_open for C only.
    if (got == 0) handle_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    if (handle_ < 0) {
        if (got == 0) reason = errno;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        throw ClusterError(fmt::format("cannot start {}: {}", command.front(), std::strerror(reason)));
    }
}

ChildProcess::~ChildProcess() {
    if (pid_ < 0) return;
    if (!end_) {
        ::kill(pid_, SIGKILL);
        while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    ::close(handle_);
}

std::optional<ProcessEnd> ChildProcess::ended() {
    if (end_) return end_;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    end_ = WIFSIGNALED(status) ? ProcessEnd{.by_signal = true, .value = WTERMSIG(status)}
                               : ProcessEnd{.by_signal = false, .value = WEXITSTATUS(status)};
    return end_;
}

void ChildProcess::signal(int number) {
    if (!end_) ::kill(pid_, number);
}

}  // namespace convoy
