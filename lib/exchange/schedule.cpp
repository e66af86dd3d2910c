#include "exchange/schedule.hpp"

#include <algorithm>

namespace convoy {
namespace {

/// A block on its way through the steps.
struct Block {
    Turns turns;
    std::vector<std::uint64_t> received;  ///< by step: the number of the rank's receives up to this step

    /// The number of this rank's receives that must be done before this step's send has the right data. An
    /// empty send waits for the receive before it, so no rank is done before it could hear of a failure.
    [[nodiscard]] std::uint64_t needed_for(std::uint32_t step) const {
        const auto& send = turns[step].send;
        for (auto earlier = step; earlier-- > 0;) {
            const auto& turn = turns[earlier];
            if (turn.receive_from && (send.count == 0 || overlap(turn.receive, send)))
                return received[earlier];
        }
        return 0;
    }
};

void append(Schedule& schedule, Block& block, std::uint32_t step) {
    const auto& turn = block.turns[step];
    if (turn.send_to) {
        schedule.sends.push_back({*turn.send_to, step, turn.send, block.needed_for(step)});
        schedule.largest_send = std::max(schedule.largest_send, turn.send.count);
    }
    block.received.push_back(schedule.receives.size() + 1);
    if (!turn.receive_from) return;
    const bool in_the_way = turn.send_to && overlap(turn.send, turn.receive);
    schedule.receives.push_back(
        {*turn.receive_from, step, turn.receive, turn.adds, in_the_way ? schedule.sends.size() : 0});
    schedule.largest_receive = std::max(schedule.largest_receive, turn.receive.count);
}

/// Schedule::tells_of_peers of one block.
std::uint32_t telling_step(const Turns& turns) {
    std::uint32_t telling = 0;
    bool adds = false;
    for (std::uint32_t step = 0; step < turns.size(); ++step) {
        const auto& turn = turns[step];
        if (!turn.receive_from || (adds && !turn.adds)) continue;
        telling = step;
        adds = turn.adds;
    }
    return telling;
}

/// The peers of one direction of all turns, ascending, each once.
std::vector<std::int64_t> peers_of(const Turns& turns, std::optional<std::int64_t> Turn::*direction) {
    std::vector<std::int64_t> peers;
    for (const auto& turn : turns) {
        if (turn.*direction) peers.push_back(*(turn.*direction));
    }
    std::ranges::sort(peers);
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    return peers;
}

}  // namespace

Schedule make_schedule(std::uint64_t elements, std::uint64_t block_elements, std::uint64_t depth,
                       const std::function<Turns(ElementRange)>& turns_of) {
    const auto size = (block_elements + chunk_unit - 1) / chunk_unit * chunk_unit;
    const auto count = std::max<std::uint64_t>(1, (elements + size - 1) / size);
    std::vector<Block> blocks(count);
    for (std::uint64_t i = 0; i < count; ++i) blocks[i].turns = turns_of(part_of({0, elements}, count, i));
    const auto steps = blocks.front().turns.size();
    depth = std::clamp<std::uint64_t>(depth, 1, count);

    Schedule schedule;
    schedule.send_to = peers_of(blocks.front().turns, &Turn::send_to);
    schedule.receive_from = peers_of(blocks.front().turns, &Turn::receive_from);
    if (count == 1) schedule.tells_of_peers = telling_step(blocks.front().turns);
    const auto rounds = steps == 0 ? 0 : count + (steps - 1) * depth;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const auto first = round < count ? 0 : (round - count) / depth + 1;
        const auto last = std::min<std::uint64_t>(steps - 1, round / depth);
        for (auto step = first; step <= last; ++step)
            append(schedule, blocks[round - step * depth], static_cast<std::uint32_t>(step));
    }
    return schedule;
}

}  // namespace convoy
