#include "collective/ring_schedule.hpp"

namespace convoy {

RingSchedule::RingSchedule(std::uint64_t rank, std::uint64_t world_size, std::uint64_t elements,
                           std::uint64_t segment_elements, std::uint64_t depth)
    : rank_(rank),
      world_size_(world_size),
      elements_(elements),
      depth_(depth),
      steps_(static_cast<std::uint32_t>(2 * (world_size - 1))) {
    const auto segment = (segment_elements + chunk_unit - 1) / chunk_unit * chunk_unit;
    const auto block = segment * world_size;
    blocks_ = std::max<std::uint64_t>(1, (elements + block - 1) / block);
    depth_ = std::clamp<std::uint64_t>(depth, 1, blocks_);
}

std::uint64_t RingSchedule::largest_segment() const {
    return part_of(part_of({0, elements_}, blocks_, 0), world_size_, 0).count;
}

RingTurn RingSchedule::turn(std::uint64_t block, std::uint32_t step) const {
    const auto whole = part_of({0, elements_}, blocks_, block);
    const auto sent = (rank_ + 2 * world_size_ - step) % world_size_;
    const auto received = (sent + world_size_ - 1) % world_size_;
    return {block, step, part_of(whole, world_size_, sent), part_of(whole, world_size_, received)};
}

bool RingSchedule::Walk::next(RingTurn& turn) {
    const auto& plan = *schedule_;
    const auto rounds = plan.blocks_ + (plan.steps_ - 1) * plan.depth_;
    while (plan.steps_ > 0 && round_ < rounds) {
        const auto step = step_++;
        const auto offset = step * plan.depth_;
        const auto round = round_;
        if (step_ == plan.steps_) {
            step_ = 0;
            ++round_;
        }
        if (round >= offset && round - offset < plan.blocks_) {
            turn = plan.turn(round - offset, step);
            return true;
        }
    }
    return false;
}

}  // namespace convoy
