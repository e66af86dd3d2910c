#pragma once

#include "support/soft_limit.hpp"

namespace convoy::test {

/// While an object of this class lives, this process can open no file under the number `least` or a greater
/// one, also as root.
class NoDescriptors {
  public:
    explicit NoDescriptors(rlim_t least = 0) : limit_(RLIMIT_NOFILE, least) {}

  private:
    SoftLimit limit_;
};

}  // namespace convoy::test
