#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace convoy::onednn {

/// Consecutive examples, channels, rows or tiles.
struct Part {
    std::int64_t first = 0;
    std::int64_t size = 0;
};

/// A whole of `total` examples (or others), cut into parts. The sizes of parts differ by at most one, and the
/// first parts are the larger ones.
class Parts {
  public:
    /// The fewest parts of at most `most` (at least 1).
    static Parts of_at_most(std::int64_t total, std::int64_t most) {
        const auto limit = std::max<std::int64_t>(most, 1);
        return {total, (total + limit - 1) / limit};
    }
    /// So many parts, or as many as the whole has examples, if these are fewer.
    static Parts of_count(std::int64_t total, std::int64_t count) { return {total, std::min(total, count)}; }

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] std::int64_t largest() const { return count_ == 0 ? 0 : (total_ + count_ - 1) / count_; }
    [[nodiscard]] Part operator[](std::int64_t i) const {
        const auto size = total_ / count_;
        const auto larger = total_ % count_;
        return {i * size + std::min(i, larger), size + (i < larger ? 1 : 0)};
    }

  private:
    Parts(std::int64_t total, std::int64_t count) : total_(total), count_(count) {}

    std::int64_t total_;
    std::int64_t count_;
};

/// The parts of a batch of at most `most` examples each (at least 1).
inline std::vector<Part> split_batch(std::int64_t batch, std::int64_t most) {
    const auto parts = Parts::of_at_most(batch, most);
    std::vector<Part> all;
    for (std::int64_t i = 0; i < parts.count(); ++i) all.push_back(parts[i]);
    return all;
}

}  // namespace convoy::onednn
