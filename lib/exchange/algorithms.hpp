#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// Algorithms of an all-reduce. Each function returns the steps of one rank of world_size ranks for one
/// block. n is the number of ranks. Each element is summed in one fixed order, on one rank or in the same way
/// on several ranks. So the result has the same bits on all ranks and in all runs.

/// Reduce-scatter, then all-gather, round a ring (Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce
/// algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69, 117-124). The block is cut into
/// n chunks; the algorithm takes 2(n-1) steps. In step s rank r sends chunk r-s to rank r+1 and receives
/// chunk r-s-1 from rank r-1 (modulo n). In the first n-1 steps it adds the received chunk to its own; after
/// them, chunk r+1 is complete on rank r. In the other steps it stores the received chunk.
Turns ring_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// Reduce-scatter by recursive halving, then all-gather by recursive doubling (Thakur, Rabenseifner and Gropp
/// 2005, "Optimization of collective communication operations in MPICH", Int. J. High Perform. Comput. Appl.
/// 19, 49-66, section 4.5): as many bytes as the ring, in 2 log2(p) steps. p is the largest power of two up
/// to n. Each rank r >= p sends its block to rank r-p at the beginning, which adds it to its own; rank r
/// receives the result at the end.
Turns halving_doubling_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// Recursive doubling (same paper, section 4.5). In each of log2(p) steps, two ranks whose numbers differ in
/// one bit exchange their whole blocks, and both add. Ranks r >= p take part as in halving_doubling_turns.
Turns recursive_doubling_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// Sums up a binomial tree to rank 0, and sends the result down the same tree.
Turns tree_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// Reduce-scatter, then all-gather, each between all pairs of ranks (same paper, section 4.4, pairwise
/// exchange). In step s of each half rank r sends to rank r+s and receives from rank r-s (modulo n). In the
/// first half it sends the peer's chunk, and the peer adds it to its own. In the second half it sends its own
/// chunk, which is complete. It sends as many bytes as the ring. In the first half, a send does not depend on
/// any other rank; in the second half, it depends on the first half only. So a rank that is late for a moment
/// delays only the ranks that wait for its chunk.
Turns pairwise_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// The ranks of each host send their blocks to the lowest rank of the host, the leader. The leaders sum round
/// a ring and send the sum back to the ranks of their hosts. So the network between hosts carries the steps
/// of a ring of hosts. The world size is the one of `hosts`.
Turns hierarchical_turns(std::int64_t rank, const HostMap& hosts, ElementRange block);

/// All-gather round a ring, the second half of ring_turns. Each rank has a piece of `piece` elements, at
/// element rank * piece of the buffer. In n-1 steps it receives the pieces of all other ranks. In step s rank
/// r sends the piece of rank r-s.
Turns ring_gather_turns(std::int64_t rank, std::int64_t world_size, std::uint64_t piece);

/// All-gather in log2(n) steps; n must be a power of two. In each step, two ranks whose numbers differ in one
/// bit exchange all pieces that they have.
Turns doubling_gather_turns(std::int64_t rank, std::int64_t world_size, std::uint64_t piece);

/// With at most this many ranks, each rank is a partner of all others, for any algorithms.
inline constexpr std::int64_t all_linked_ranks = 8;

/// The ranks that a rank has links with, in ascending order: its neighbours on the ring and the ranks whose
/// numbers differ in one bit (or all ranks, if they are at most all_linked_ranks), and the partners that the
/// algorithms in `more` need.
std::vector<std::int64_t> partners_of(std::int64_t rank, const HostMap& hosts,
                                      std::span<const AllReduceAlgorithm> more = {});

}  // namespace convoy
