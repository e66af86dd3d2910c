#include "net/scratch.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace convoy {
namespace {

constexpr std::size_t scratch_alignment = 64;

}  // namespace

void ScratchPool::FreeAligned::operator()(std::byte* memory) const {
    ::operator delete (memory, std::align_val_t{scratch_alignment});
}

/// The smallest block that is large enough. If there is none, the largest block is replaced by a larger one.
ScratchPool::Block ScratchPool::take(std::size_t bytes) {
    auto found = std::ranges::lower_bound(free_, bytes, {}, &Block::bytes);
    if (found == free_.end()) {
        if (!free_.empty()) free_.pop_back();
        if (bytes == 0) return {};
        auto* memory = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{scratch_alignment}));
        return {std::unique_ptr<std::byte, FreeAligned>(memory), bytes};
    }
    Block block = std::move(*found);
    free_.erase(found);
    return block;
}

ScratchPool::Lease ScratchPool::borrow(std::size_t bytes) {
    return {*this, take(bytes)};
}

ScratchPool::Lease::~Lease() {
    if (block_.bytes == 0) return;
    auto& free = pool_.free_;
    free.insert(std::ranges::lower_bound(free, block_.bytes, {}, &Block::bytes), std::move(block_));
}

}  // namespace convoy
