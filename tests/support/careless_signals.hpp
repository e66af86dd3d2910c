#pragma once

#include <csignal>
#include <string>

namespace convoy::test {

/// While an object of this class lives, this thread blocks SIGTERM and SIGUSR1, and the process ignores
/// SIGPIPE, SIGTERM and SIGXFSZ, and not SIGHUP.
class CarelessSignals {
  public:
    CarelessSignals()
        : pipe_(std::signal(SIGPIPE, SIG_IGN)),
          term_(std::signal(SIGTERM, SIG_IGN)),
          size_(std::signal(SIGXFSZ, SIG_IGN)),
          hangup_(std::signal(SIGHUP, SIG_DFL)) {
        sigset_t blocked;
        ::sigemptyset(&blocked);
        for (const int number : {SIGTERM, SIGUSR1}) ::sigaddset(&blocked, number);
        ::pthread_sigmask(SIG_BLOCK, &blocked, &mask_);
    }
    CarelessSignals(const CarelessSignals&) = delete;
    CarelessSignals& operator=(const CarelessSignals&) = delete;
    CarelessSignals(CarelessSignals&&) = delete;
    CarelessSignals& operator=(CarelessSignals&&) = delete;
    ~CarelessSignals() {
        ::pthread_sigmask(SIG_SETMASK, &mask_, nullptr);
        std::signal(SIGPIPE, pipe_);
        std::signal(SIGTERM, term_);
        std::signal(SIGXFSZ, size_);
        std::signal(SIGHUP, hangup_);
    }

  private:
    using Handler = void (*)(int);
    Handler pipe_, term_, size_, hangup_;
    sigset_t mask_{};
};

/// A line for sh(1), which succeeds if the shell blocks no signal and ignores, of the signals 1 to 31, those
/// of this set only (bit 0 is signal 1). The C library ignores two of its own.
inline std::string has_clean_signals(unsigned ignored) {
    return "set -- $(grep -E '^Sig(Blk|Ign)' /proc/$$/status | cut -f 2); "
           "[ $((0x$1)) = 0 ] && [ $((0x$2 & 0x7fffffff)) = " +
           std::to_string(ignored) + " ]";
}

}  // namespace convoy::test
