#pragma once

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

#include "convoy_process.hpp"

namespace convoy::test {

/// Holds a process in open(2) of a file for as long as this object lives (fcntl(2), F_SETLEASE), and no
/// longer than /proc/sys/fs/lease-break-time (45 s).
class Lease {
  public:
    /// Makes the file if it is not there. Nobody may have it open.
    explicit Lease(const std::filesystem::path& file)
        : file_(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
        ::sigemptyset(&wanted_);
        ::sigaddset(&wanted_, SIGIO);
        ::sigprocmask(SIG_BLOCK, &wanted_, &before_);
        held_ = ::fcntl(file_, F_SETLEASE, F_WRLCK) == 0;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Lease(Lease&&) = delete;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
        give_up();
        const timespec at_once{};
        while (::sigtimedwait(&wanted_, nullptr, &at_once) == SIGIO) {
        }
        ::sigprocmask(SIG_SETMASK, &before_, nullptr);
        ::close(file_);
    }

    /// False if the file system has no leases.
    [[nodiscard]] bool is_held() const { return held_; }
    /// Blocks until a process opens the file. False if none does for a long time.
    [[nodiscard]] bool wait_for_opener() const {
        const timespec longest{.tv_sec = patience.count(), .tv_nsec = 0};
        return ::sigtimedwait(&wanted_, nullptr, &longest) == SIGIO;
    }
    /// Lets the process open the file.
    void give_up() { ::fcntl(file_, F_SETLEASE, F_UNLCK); }

  private:
    int file_;
    bool held_ = false;
    sigset_t wanted_{}, before_{};
};

}  // namespace convoy::test
