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

/// All that the new process needs, made ready by its parent.
struct Orders {
    char* const* arguments;
    char* const* environment;
    const HostEntrance* host;
    int control;   ///< negative: none
    int standard;  ///< negative: none
    int errors;
    bool ignores_term;
    pid_t parent;
    int error_pipe;
};

/// Gives the new process its standard files, and the one of its orders; all others are closed on exec.
bool arrange_files(const Orders& orders) {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing < 0 || ::dup2(nothing, STDIN_FILENO) < 0) return false;
    for (const int standard : {STDERR_FILENO, STDOUT_FILENO})
        if (orders.errors != standard && ::dup2(orders.errors, standard) < 0) return false;
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO})
        if (orders.standard >= 0 && ::dup2(orders.standard, standard) < 0) return false;
    if (orders.control < 0) return ::close_range(child_control, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
    // A copy onto itself would still be closed on exec.
    const bool moved = orders.control == child_control ? ::fcntl(child_control, F_SETFD, 0) == 0
                                                       : ::dup2(orders.control, child_control) >= 0;
    return moved && ::close_range(child_control + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
}

/// Until exec, a handler of the parent's would run in the parent's memory; and what the parent ignores is its
/// own affair.
void forget_handlers(bool ignores_term) {
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    for (const int number : {SIGINT, SIGHUP}) ::signal(number, SIG_IGN);
    if (ignores_term) ::signal(SIGTERM, SIG_IGN);
}

/// Runs in the new process, between vfork and exec: only async-signal-safe calls, no allocation, and no
/// change of memory that the parent uses.
[[noreturn]] void become(const Orders& orders) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A parent that ended before the line above sends no signal any more.
    if (::getppid() != orders.parent) ::_exit(0);

    forget_handlers(orders.ignores_term);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);

    // The pipe must not be where the control file goes. If there is no other place, nothing goes there.
    const int moved = ::fcntl(orders.error_pipe, F_DUPFD_CLOEXEC, child_control + 1);
    const int error_pipe = moved < 0 ? orders.error_pipe : moved;
    const bool ready = moved >= 0 && (orders.host == nullptr || enter(*orders.host)) && arrange_files(orders);
    if (ready) ::execve(orders.arguments[0], orders.arguments, orders.environment);
    const int reason = errno;
    [[maybe_unused]] const auto written = ::write(error_pipe, &reason, sizeof reason);
    ::_exit(127);
}

/// By vfork: it calls no handlers of fork that libraries have registered, which may wait for threads of
/// theirs, and copies no page tables. Signals wait until the new process has forgotten its handlers. Returns
/// the process id; negative: errno says why there is none.
pid_t start(const Orders& orders) {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::vfork();
    if (pid == 0) become(orders);
    const int reason = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = reason;
    return pid;
}

}  // namespace

std::string ProcessEnd::text() const {
    if (by_signal) return fmt::format("was killed by signal {} ({})", value, ::strsignal(value));
    return fmt::format("ended with exit code {}", value);
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const ChildSettings& settings) {
    auto argument_texts = command;
    auto environment_texts = merged_environment(settings.environment);
    const auto arguments = pointers(argument_texts);
    const auto variables = pointers(environment_texts);
    auto error = Pipe::open();
    if (!error) throw ClusterError(fmt::format("cannot start a process: {}", std::strerror(errno)));

    const Orders orders{.arguments = arguments.data(),
                        .environment = variables.data(),
                        .host = settings.host,
                        .control = settings.control,
                        .standard = settings.standard,
                        .errors = settings.errors < 0 ? STDERR_FILENO : settings.errors,
                        .ignores_term = settings.ignores_term,
                        .parent = ::getpid(),
                        .error_pipe = error.write_end.get()};
    pid_ = start(orders);
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
