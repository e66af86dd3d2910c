#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace convoy::onednn {

/// Some consecutive examples of a batch.
struct BatchPart {
    std::int64_t first = 0;
    std::int64_t size = 0;
};

/// Cuts a batch into the fewest parts of at most `most` examples (at least 1). The sizes of parts differ by
/// at most one.
inline std::vector<BatchPart> split_batch(std::int64_t batch, std::int64_t most) {
    const auto limit = std::max<std::int64_t>(most, 1);
    const auto count = (batch + limit - 1) / limit;
    std::vector<BatchPart> parts;
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto size = batch / count + (i < batch % count ? 1 : 0);
        parts.push_back({first, size});
        first += size;
    }
    return parts;
}

}  // namespace convoy::onednn
