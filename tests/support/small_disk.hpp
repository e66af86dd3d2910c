#pragma once

#include <csignal>
#include <optional>

#include "support/soft_limit.hpp"

namespace convoy {

/// No file may grow beyond so many bytes while this lives, also for root: writing fails in the middle, as on
/// a full disk.
class SmallDisk {
  public:
    explicit SmallDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        limit_.emplace(RLIMIT_FSIZE, bytes);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;
    SmallDisk(SmallDisk&&) = delete;
    SmallDisk& operator=(SmallDisk&&) = delete;
    ~SmallDisk() {
        limit_.reset();
        std::signal(SIGXFSZ, handler_);
    }

  private:
    void (*handler_)(int);
    std::optional<test::SoftLimit> limit_;
};

}  // namespace convoy
