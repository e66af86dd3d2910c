#pragma once

#include <sys/resource.h>

#include <stdexcept>

namespace convoy {

/// This process can open no further file while this lives (EMFILE).
class NoDescriptors {
  public:
    NoDescriptors() {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit none{0, before_.rlim_max};
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

}  // namespace convoy
