#include "exchange/algorithms.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

namespace convoy {
namespace {

/// The part of ranks beyond the largest power of two, in an algorithm that needs a power of two.
struct PowerOfTwo {
    std::int64_t core;   ///< the largest power of two up to the world size
    std::int64_t extra;  ///< ranks beyond it: core + i stands behind rank i

    explicit PowerOfTwo(std::int64_t world_size)
        : core(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(world_size)))),
          extra(world_size - core) {}
};

/// The steps of a core rank, with one step before them and one step behind them. In these, the ranks beyond
/// the core send their blocks and receive the result.
Turns with_extra_ranks(std::int64_t rank, std::int64_t world_size, ElementRange block,
                       const std::function<Turns(std::int64_t core)>& turns_of_core) {
    const PowerOfTwo power(world_size);
    auto turns = turns_of_core(power.core);
    if (power.extra == 0) return turns;
    Turn before, after;
    if (rank >= power.core) {
        for (auto& turn : turns) turn = {};
        before = {.send_to = rank - power.core, .receive_from = {}, .send = block, .receive = {}};
        after = {.send_to = {}, .receive_from = rank - power.core, .send = {}, .receive = block};
    } else if (rank < power.extra) {
        before = {
            .send_to = {}, .receive_from = rank + power.core, .send = {}, .receive = block, .adds = true};
        after = {.send_to = rank + power.core, .receive_from = {}, .send = block, .receive = {}};
    }
    turns.insert(turns.begin(), before);
    turns.push_back(after);
    return turns;
}

}  // namespace

Turns ring_turns(std::int64_t rank, std::int64_t world_size, ElementRange block) {
    const auto n = static_cast<std::uint64_t>(world_size);
    const auto steps = 2 * (n - 1);
    Turns turns;
    turns.reserve(steps);
    for (std::uint64_t step = 0; step < steps; ++step) {
        const auto sent = (static_cast<std::uint64_t>(rank) + 2 * n - step) % n;
        const auto received = (sent + n - 1) % n;
        turns.push_back({.send_to = (rank + 1) % world_size,
                         .receive_from = (rank + world_size - 1) % world_size,
                         .send = part_of(block, n, sent),
                         .receive = part_of(block, n, received),
                         .adds = step < steps / 2});
    }
    return turns;
}

Turns halving_doubling_turns(std::int64_t rank, std::int64_t world_size, ElementRange block) {
    return with_extra_ranks(rank, world_size, block, [&](std::int64_t core) {
        Turns turns;
        auto range = block;
        for (auto bit = core / 2; bit > 0; bit /= 2) {
            const bool upper = (rank & bit) != 0;
            const auto kept = part_of(range, 2, upper ? 1 : 0);
            turns.push_back({.send_to = rank ^ bit,
                             .receive_from = rank ^ bit,
                             .send = part_of(range, 2, upper ? 0 : 1),
                             .receive = kept,
                             .adds = true});
            range = kept;
        }
        for (auto step = turns.size(); step-- > 0;) {
            const auto halving = turns[step];
            turns.push_back({.send_to = halving.send_to,
                             .receive_from = halving.receive_from,
                             .send = halving.receive,
                             .receive = halving.send});
        }
        return turns;
    });
}

Turns recursive_doubling_turns(std::int64_t rank, std::int64_t world_size, ElementRange block) {
    return with_extra_ranks(rank, world_size, block, [&](std::int64_t core) {
        Turns turns;
        for (std::int64_t bit = 1; bit < core; bit *= 2) {
            turns.push_back({.send_to = rank ^ bit,
                             .receive_from = rank ^ bit,
                             .send = block,
                             .receive = block,
                             .adds = true});
        }
        return turns;
    });
}

Turns tree_turns(std::int64_t rank, std::int64_t world_size, ElementRange block) {
    Turns turns;
    for (std::int64_t bit = 1; bit < world_size; bit *= 2) {
        Turn up;
        if ((rank & (bit - 1)) == 0 && (rank & bit) != 0) {
            up = {.send_to = rank - bit, .receive_from = {}, .send = block, .receive = {}};
        } else if ((rank & (bit - 1)) == 0 && rank + bit < world_size) {
            up = {.send_to = {}, .receive_from = rank + bit, .send = {}, .receive = block, .adds = true};
        }
        turns.push_back(up);
    }
    for (auto step = turns.size(); step-- > 0;) {
        const auto up = turns[step];
        turns.push_back(
            {.send_to = up.receive_from, .receive_from = up.send_to, .send = up.receive, .receive = up.send});
    }
    return turns;
}

Turns pairwise_turns(std::int64_t rank, std::int64_t world_size, ElementRange block) {
    const auto chunk = [&](std::int64_t of) {
        return part_of(block, static_cast<std::uint64_t>(world_size), static_cast<std::uint64_t>(of));
    };
    Turns turns;
    for (const bool adds : {true, false}) {
        for (std::int64_t step = 1; step < world_size; ++step) {
            const auto to = (rank + step) % world_size;
            const auto from = (rank + world_size - step) % world_size;
            turns.push_back({.send_to = to,
                             .receive_from = from,
                             .send = chunk(adds ? to : rank),
                             .receive = chunk(adds ? rank : from),
                             .adds = adds});
        }
    }
    return turns;
}

Turns hierarchical_turns(std::int64_t rank, const HostMap& hosts, ElementRange block) {
    const auto neighbours = hosts.neighbours(rank);
    const auto& leaders = hosts.leaders();
    const auto leader = neighbours.front();
    Turns turns;
    for (std::size_t member = 1; member < static_cast<std::size_t>(hosts.most_on_a_host()); ++member) {
        Turn in;
        if (member < neighbours.size()) {
            if (rank == leader) in = {.receive_from = neighbours[member], .receive = block, .adds = true};
            if (rank == neighbours[member]) in = {.send_to = leader, .send = block};
        }
        turns.push_back(in);
    }
    const auto members = turns.size();
    auto ring = ring_turns(std::ranges::find(leaders, leader) - leaders.begin(), std::ssize(leaders), block);
    for (auto& turn : ring) {
        if (rank != leader) {
            turn = {};
        } else {
            turn.send_to = leaders[static_cast<std::size_t>(*turn.send_to)];
            turn.receive_from = leaders[static_cast<std::size_t>(*turn.receive_from)];
        }
        turns.push_back(turn);
    }
    for (std::size_t member = 0; member < members; ++member) {
        const auto in = turns[member];
        turns.push_back(
            {.send_to = in.receive_from, .receive_from = in.send_to, .send = in.receive, .receive = in.send});
    }
    return turns;
}

Turns ring_gather_turns(std::int64_t rank, std::int64_t world_size, std::uint64_t piece) {
    const auto piece_of = [&](std::int64_t owner) {
        return ElementRange{static_cast<std::uint64_t>(owner % world_size) * piece, piece};
    };
    Turns turns;
    for (std::int64_t step = 0; step + 1 < world_size; ++step) {
        const auto sent = rank + world_size - step;
        turns.push_back({.send_to = (rank + 1) % world_size,
                         .receive_from = (rank + world_size - 1) % world_size,
                         .send = piece_of(sent),
                         .receive = piece_of(sent - 1)});
    }
    return turns;
}

Turns doubling_gather_turns(std::int64_t rank, std::int64_t world_size, std::uint64_t piece) {
    Turns turns;
    for (std::int64_t bit = 1; bit < world_size; bit *= 2) {
        const auto pieces_of = [&](std::int64_t owner) {
            return ElementRange{static_cast<std::uint64_t>(owner / bit * bit) * piece,
                                static_cast<std::uint64_t>(bit) * piece};
        };
        const auto peer = rank ^ bit;
        turns.push_back(
            {.send_to = peer, .receive_from = peer, .send = pieces_of(rank), .receive = pieces_of(peer)});
    }
    return turns;
}

std::vector<std::int64_t> partners_of(std::int64_t rank, const HostMap& hosts,
                                      std::span<const AllReduceAlgorithm> more) {
    const auto among = [more](AllReduceAlgorithm algorithm) {
        return std::ranges::count(more, algorithm) > 0;
    };
    const auto world_size = hosts.world_size();
    std::set<std::int64_t> partners{(rank + 1) % world_size, (rank + world_size - 1) % world_size};
    for (std::int64_t bit = 1; bit < world_size; bit *= 2) {
        if ((rank ^ bit) < world_size) partners.insert(rank ^ bit);
    }
    if (world_size <= all_linked_ranks || among(AllReduceAlgorithm::pairwise)) {
        for (std::int64_t other = 0; other < world_size; ++other) partners.insert(other);
    }
    if (among(AllReduceAlgorithm::hierarchical)) {
        for (const auto& turn : hierarchical_turns(rank, hosts, {})) {
            if (turn.send_to) partners.insert(*turn.send_to);
            if (turn.receive_from) partners.insert(*turn.receive_from);
        }
    }
    partners.erase(rank);
    return {partners.begin(), partners.end()};
}

}  // namespace convoy
