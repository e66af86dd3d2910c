#include "kernels/onednn/memory_plan.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

namespace convoy::onednn {
namespace {

std::size_t aligned(std::size_t bytes, std::size_t alignment = alignment_bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
}

bool meet(const Lifetime& a, const Lifetime& b) {
    return a.first <= b.last && b.first <= a.last;
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> lifetimes) {
    std::vector<std::size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](auto a, auto b) { return lifetimes[a].bytes > lifetimes[b].bytes; });

    MemoryPlan plan{std::vector<std::size_t>(lifetimes.size()), 0};
    std::vector<std::size_t> placed;  // by offset
    for (const auto piece : order) {
        if (lifetimes[piece].bytes == 0) break;  // as all that follow: they are nowhere in the arena
        std::size_t offset = 0;
        for (const auto other : placed) {
            if (!meet(lifetimes[piece], lifetimes[other])) continue;
            if (offset + lifetimes[piece].bytes <= plan.offsets[other]) break;
            offset = std::max(offset, aligned(plan.offsets[other] + lifetimes[other].bytes));
        }
        plan.offsets[piece] = offset;
        plan.bytes = std::max(plan.bytes, aligned(offset + lifetimes[piece].bytes));
        placed.insert(std::ranges::upper_bound(placed, offset, {}, [&](auto i) { return plan.offsets[i]; }),
                      piece);
    }
    return plan;
}

AlignedBuffer::AlignedBuffer(std::size_t bytes) : bytes_(bytes) {
    // An arena of hundreds of MB in pages of 4 KB costs a step 4% in address translation.
    constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;
    const auto alignment = bytes >= huge_page_bytes ? huge_page_bytes : alignment_bytes;
    const auto whole = std::max(aligned(bytes, alignment), alignment);
    memory_.reset(static_cast<std::byte*>(std::aligned_alloc(alignment, whole)));
    if (!memory_) throw std::bad_alloc();
    // A wish: where the system has no huge pages, others serve.
    if (alignment == huge_page_bytes) ::madvise(memory_.get(), whole, MADV_HUGEPAGE);
    std::memset(memory_.get(), 0, whole);
}

void AlignedBuffer::Free::operator()(std::byte* memory) const {
    std::free(memory);
}

}  // namespace convoy::onednn
