#pragma once

#include <sys/resource.h>

#include <csignal>
#include <stdexcept>

namespace convoy {

/// No file may grow beyond so many bytes while this lives, also for root: writing fails in the middle, as on
/// a full disk.
class SmallDisk {
  public:
    explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{bytes, before_.rlim_max};
        if (::setrlimit(RLIMIT_FSIZE, &small) != 0)
            throw std::runtime_error("cannot limit the size of files");
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    SmallDisk(SmallDisk&&) = delete;
    SmallDisk& operator=(SmallDisk&&) = delete;
    ~SmallDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

  private:
    void (*handler_)(int);
    rlimit before_{};
};

}  // namespace convoy
