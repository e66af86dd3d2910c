#pragma once

#include <algorithm>
#include <cstdint>

namespace convoy {

/// A run of elements within a buffer.
struct ElementRange {
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    bool operator==(const ElementRange&) const = default;
};

/// Chunks start at multiples of this many elements, so that every addition loop starts aligned.
inline constexpr std::uint64_t chunk_unit = 16;

/// Part index of parts nearly equal parts of whole, cut at multiples of chunk_unit from its start; later
/// parts may be empty.
constexpr ElementRange part_of(ElementRange whole, std::uint64_t parts, std::uint64_t index) {
    const auto units = (whole.count + chunk_unit - 1) / chunk_unit;
    const auto start = [&](std::uint64_t i) {
        return std::min((units / parts * i + std::min(units % parts, i)) * chunk_unit, whole.count);
    };
    return {whole.first + start(index), start(index + 1) - start(index)};
}

/// One transfer of the ring on one node: what it sends to the right and what it receives from the left.
struct RingTurn {
    std::uint64_t block = 0;
    std::uint32_t step = 0;
    ElementRange send;
    ElementRange receive;
    bool operator==(const RingTurn&) const = default;
};

/// Who sends what, and when, in a ring all-reduce: reduce-scatter, then all-gather (Patarasuk and Yuan 2009,
/// "Bandwidth optimal all-reduce algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69,
/// 117-124).
///
/// With n ranks a block of the buffer is cut into n chunks and takes 2(n-1) steps. In step s rank r sends
/// chunk r-s to rank r+1 and receives chunk r-s-1 from rank r-1 (modulo n). In the first n-1 steps
/// (reduce-scatter) it adds what it receives, so that chunk r+1 is complete on rank r after them; in the
/// others (all-gather) it stores it. What is sent in step s is what was received in step s-1, and each
/// element is added up in one order on one rank, which makes the result the same bits on all ranks and in all
/// runs.
///
/// A buffer is cut into blocks whose chunks are one segment each, and the steps of different blocks are
/// interleaved: step s of block b comes in round b + s * depth. Sending, receiving and adding then overlap,
/// as a node has depth segments to send before it needs what it is about to receive, while a segment that was
/// just received is sent on soon, from the cache. A depth of the number of blocks or more is the plain ring,
/// one step after another.
class RingSchedule {
  public:
    /// elements of the buffer; segment_elements: the most that one frame carries, rounded up to a chunk_unit.
    RingSchedule(std::uint64_t rank, std::uint64_t world_size, std::uint64_t elements,
                 std::uint64_t segment_elements, std::uint64_t depth);

    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
    [[nodiscard]] std::uint32_t steps() const { return steps_; }
    /// Whether what is received in this step is added (reduce-scatter) or stored (all-gather).
    [[nodiscard]] bool adds(std::uint32_t step) const { return step < steps_ / 2; }
    /// The most elements that any turn receives.
    [[nodiscard]] std::uint64_t largest_segment() const;

    /// Walks all turns in their order, which is the same on all ranks.
    class Walk {
      public:
        explicit Walk(const RingSchedule& schedule) : schedule_(&schedule) {}
        /// The next turn; false after the last.
        bool next(RingTurn& turn);

      private:
        const RingSchedule* schedule_;
        std::uint64_t round_ = 0;
        std::uint32_t step_ = 0;
    };

  private:
    [[nodiscard]] RingTurn turn(std::uint64_t block, std::uint32_t step) const;

    std::uint64_t rank_, world_size_, elements_, blocks_, depth_;
    std::uint32_t steps_;
};

}  // namespace convoy
