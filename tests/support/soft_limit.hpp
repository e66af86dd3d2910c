#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>

namespace convoy::test {

/// While an object of this class lives, this process has at most `most` of a resource (setrlimit(2)), also as
/// root.
class SoftLimit {
  public:
    SoftLimit(decltype(RLIMIT_AS) resource, rlim_t most) : resource_(resource) {
        if (::getrlimit(resource_, &before_) != 0) throw std::runtime_error("cannot read a limit");
        const rlimit limited{.rlim_cur = std::min(most, before_.rlim_cur), .rlim_max = before_.rlim_max};
        if (::setrlimit(resource_, &limited) != 0) throw std::runtime_error("cannot set a limit");
    }
    SoftLimit(const SoftLimit&) = delete;
    SoftLimit& operator=(const SoftLimit&) = delete;
    SoftLimit(SoftLimit&&) = delete;
    SoftLimit& operator=(SoftLimit&&) = delete;
    ~SoftLimit() { ::setrlimit(resource_, &before_); }

  private:
    decltype(RLIMIT_AS) resource_;
    rlimit before_{};
};

}  // namespace convoy::test
