#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace convoy {

/// A pool of working memory. The next user receives the memory that the last user returned, while it is in
/// the cache. The pool must outlive its users.
class ScratchPool {
  public:
    /// Memory for one user. The destructor returns it to the pool.
    class Lease;
    /// Lends at least `bytes` bytes, aligned to 64 bytes.
    [[nodiscard]] Lease borrow(std::size_t bytes);

  private:
    struct FreeAligned {
        void operator()(std::byte* memory) const;
    };
    struct Block {
        std::unique_ptr<std::byte, FreeAligned> memory;
        std::size_t bytes = 0;
    };
    Block take(std::size_t bytes);

    std::vector<Block> free_;  // by size, ascending
};

class ScratchPool::Lease {
  public:
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Lease(Lease&&) = delete;
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    [[nodiscard]] std::span<std::byte> bytes() const { return {block_.memory.get(), block_.bytes}; }

  private:
    friend class ScratchPool;
    Lease(ScratchPool& pool, Block block) : pool_(pool), block_(std::move(block)) {}
    ScratchPool& pool_;
    Block block_;
};

}  // namespace convoy
