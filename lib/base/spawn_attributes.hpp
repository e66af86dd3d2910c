#pragma once

#include <spawn.h>

#include <cstdint>

namespace convoy {

/// What a program that is started by posix_spawn(3) inherits of signals: it blocks none, and all of them have
/// their default action, whatever this process blocks and ignores. Only a SIGHUP that is ignored stays so,
/// as nohup(1) wants it.
class SpawnAttributes {
  public:
    enum class Session : std::uint8_t { same, own };

    explicit SpawnAttributes(Session session = Session::same);
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;
    SpawnAttributes(SpawnAttributes&&) = delete;
    SpawnAttributes& operator=(SpawnAttributes&&) = delete;
    ~SpawnAttributes() { ::posix_spawnattr_destroy(&attributes_); }

    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

  private:
    posix_spawnattr_t attributes_{};
};

}  // namespace convoy
