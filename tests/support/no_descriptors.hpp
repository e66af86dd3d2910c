#pragma once

#include <sys/resource.h>

#include <stdexcept>

namespace convoy::test {

/// While an object of this class lives, this process can open no file under the number `least` or a greater
/// one, also as root.
class NoDescriptors {
  public:
    explicit NoDescriptors(rlim_t least = 0) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{.rlim_cur = least, .rlim_max = before_.rlim_max};
        if (::setrlimit(RLIMIT_NOFILE, &none) != 0) throw std::runtime_error("cannot limit open files");
    }
    NoDescriptors(const NoDescriptors&) = delete;
    NoDescriptors& operator=(const NoDescriptors&) = delete;
    NoDescriptors(NoDescriptors&&) = delete;
    NoDescriptors& operator=(NoDescriptors&&) = delete;
    ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

  private:
    rlimit before_{};
};

}  // namespace convoy::test
