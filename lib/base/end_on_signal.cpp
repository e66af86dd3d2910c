#include "base/end_on_signal.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace convoy {

namespace {

/// The innermost object. A signal handler is given nothing, so it must find it here.
std::atomic<const EndOnSignal*> innermost{nullptr};
static_assert(std::atomic<const EndOnSignal*>::is_always_lock_free);

sigset_t set_of_ending_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : ending_signals) ::sigaddset(&set, signal);
    return set;
}

void end_process(int signal) {
    if (const auto* ends = innermost.load()) return ends->end(signal);
    // Only in another thread, at the moment when the outermost object goes.
    ::_exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace

bool is_ignored(int signal) {
    struct sigaction now {};
    return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void receive_signals() {
    const auto set = set_of_ending_signals();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    // Where SIGCHLD is ignored, the kernel forgets how children ended.
    std::signal(SIGCHLD, SIG_DFL);
}

HeldSignals::HeldSignals() {
    ::pthread_sigmask(SIG_BLOCK, nullptr, &mask_);
    hold();
}

HeldSignals::~HeldSignals() {
    hold();
    if (!stays_) ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
}

void HeldSignals::hold() {
    const auto set = set_of_ending_signals();
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void HeldSignals::let_through() {
    const auto set = set_of_ending_signals();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

SignalActions::SignalActions() {
    for (std::size_t i = 0; i < ending_signals.size(); ++i)
        ::sigaction(ending_signals[i], nullptr, &actions_[i]);
}

SignalActions::~SignalActions() {
    for (std::size_t i = 0; i < ending_signals.size(); ++i)
        ::sigaction(ending_signals[i], &actions_[i], nullptr);
}

// The kernel keeps a blocked signal also where it is ignored.
Descriptor file_of_held_signals() {
    auto set = set_of_ending_signals();
    for (const int signal : ending_signals)
        if (is_ignored(signal)) ::sigdelset(&set, signal);
    return Descriptor(::signalfd(-1, &set, SFD_CLOEXEC));
}

EndOnSignal::EndOnSignal(std::string_view line)
    : text_(fmt::format("{}convoy: {}\n", ::isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "", printable(line))),
      thread_(::gettid()),
      hidden_(innermost.exchange(this)) {
    struct sigaction action {};
    action.sa_handler = &end_process;
    ::sigfillset(&action.sa_mask);
    for (const int signal : ending_signals)
        if (signal != SIGHUP || !is_ignored(signal)) ::sigaction(signal, &action, nullptr);
    held_.let_through();
}

EndOnSignal::~EndOnSignal() {
    held_.hold();
    innermost = hidden_;
}

/// Only async-signal-safe calls. It does not wait for room in a pipe that nobody reads.
void EndOnSignal::end(int signal) const {
    if (::gettid() != thread_ && ::syscall(SYS_tgkill, ::getpid(), thread_, signal) == 0) return;
    pollfd room{STDERR_FILENO, POLLOUT, 0};
    if (::poll(&room, 1, 0) == 1) {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text_.data(), text_.size());
    }
    ::_exit(static_cast<int>(ExitCode::interrupted));
}

void let_waiting_signals_end(std::string_view line) {
    const EndOnSignal ends(line);
}

}  // namespace convoy
