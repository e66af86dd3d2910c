#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace convoy::onednn {

/// The alignment of every tensor: the size of a cache line and of the widest vector register.
constexpr std::size_t alignment_bytes = 64;

/// A piece of memory that is in use from step `first` to step `last` of a program, both included.
struct Lifetime {
    std::size_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;
};

struct MemoryPlan {
    std::vector<std::size_t> offsets;  ///< one for each lifetime
    std::size_t bytes = 0;             ///< bytes of the arena
};

/// Plans an arena: pieces whose lifetimes do not overlap may share memory. The largest piece comes first, and
/// each piece gets the lowest offset that is free for its whole lifetime (Pisarchyk and Lee,
/// arXiv:2001.03288, "greedy by size for offset calculation").
MemoryPlan plan_memory(std::span<const Lifetime> lifetimes);

/// Zeroed memory aligned to alignment_bytes.
class AlignedBuffer {
  public:
    AlignedBuffer() = default;
    explicit AlignedBuffer(std::size_t bytes);
    [[nodiscard]] std::byte* data() const { return memory_.get(); }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    struct Free {
        void operator()(std::byte* memory) const;
    };
    std::unique_ptr<std::byte, Free> memory_;
    std::size_t bytes_ = 0;
};

}  // namespace convoy::onednn
