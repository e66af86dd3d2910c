#include "exchange/rooted_algorithms.hpp"

#include <algorithm>
#include <utility>

#include "exchange/algorithms.hpp"

namespace convoy {
namespace {

/// The same steps with each transfer in the other direction. No transfer adds.
Turn reversed(const Turn& turn) {
    return {.send_to = turn.receive_from,
            .receive_from = turn.send_to,
            .send = turn.receive,
            .receive = turn.send};
}

/// Each other member sends its block to the root, which has the range that at gives for it. The members come
/// in the order of the group from the root on: where each member is the root of one exchange, all members
/// receive at the same time.
template <typename Place>
Turns to_root(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block, bool adds,
              const Place& at) {
    Turns turns;
    for (std::int64_t behind = 1; behind < size; ++behind) {
        const auto member = (root + behind) % size;
        Turn turn;
        if (position == root) turn = {.receive_from = member, .receive = at(member), .adds = adds};
        if (position == member) turn = {.send_to = root, .send = block};
        turns.push_back(turn);
    }
    return turns;
}

}  // namespace

Turns push_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block) {
    return to_root(position, size, root, block, true, [&](std::int64_t) { return block; });
}

Turns pull_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block) {
    auto turns = push_turns(position, size, root, block);
    for (auto& turn : turns) turn = reversed(turn);
    return turns;
}

Turns chain_push_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block) {
    Turns turns;
    for (auto behind = size - 1; behind > 0; --behind) {
        const auto from = (root + behind) % size, to = (root + behind - 1) % size;
        Turn turn;
        if (position == from) turn = {.send_to = to, .send = block};
        if (position == to) turn = {.receive_from = from, .receive = block, .adds = true};
        turns.push_back(turn);
    }
    return turns;
}

Turns chain_pull_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block) {
    auto turns = chain_push_turns(position, size, root, block);
    std::ranges::reverse(turns);
    for (auto& turn : turns) turn = reversed(turn);
    return turns;
}

Turns broadcast_turns(std::int64_t position, std::int64_t size, std::int64_t root, ElementRange block) {
    const auto up_and_down = tree_turns((position + size - root) % size, size, block);
    const auto half = up_and_down.begin() + std::ssize(up_and_down) / 2;
    Turns turns(half, up_and_down.end());
    for (auto& turn : turns) {
        for (auto* peer : {&turn.send_to, &turn.receive_from}) {
            if (*peer) *peer = (**peer + root) % size;
        }
    }
    return turns;
}

Turns gather_turns(std::int64_t position, std::int64_t size, std::int64_t root, std::uint64_t piece,
                   ElementRange block) {
    return to_root(position, size, root, block, false, [&](std::int64_t member) {
        return ElementRange{static_cast<std::uint64_t>(member) * piece + block.first, block.count};
    });
}

Turns send_turns(std::int64_t to, ElementRange block) {
    return {{.send_to = to, .send = block}};
}

Turns receive_turns(std::int64_t from, ElementRange block) {
    return {{.receive_from = from, .receive = block}};
}

}  // namespace convoy
