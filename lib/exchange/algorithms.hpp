#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/host_map.hpp"
#include "exchange/schedule.hpp"
#include "spec/all_reduce_spec.hpp"

namespace convoy {

/// Who sums what with whom. Each function gives the steps of one rank of world_size for one block. In all of
/// them each element is added up in one order, on one rank or alike on several, so that the result has the
/// same bits on all ranks and in all runs.

/// Reduce-scatter, then all-gather, round a ring (Patarasuk and Yuan 2009, "Bandwidth optimal all-reduce
/// algorithms for clusters of workstations", J. Parallel Distrib. Comput. 69, 117-124). The block is cut into
/// n chunks and takes 2(n-1) steps. In step s rank r sends chunk r-s to rank r+1 and receives chunk r-s-1
/// from rank r-1 (modulo n). In the first n-1 steps it adds what it receives, so that chunk r+1 is complete
/// on rank r after them; in the others it stores it.
Turns ring_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// Reduce-scatter by recursive halving, then all-gather by recursive doubling (Thakur, Rabenseifner and Gropp
/// 2005, "Optimization of collective communication operations in MPICH", Int. J. High Perform. Comput. Appl.
/// 19, 49-66, section 4.5): as many bytes as the ring in 2 log2(p) steps, p being the largest power of two up
/// to n. The ranks from p on add theirs to those of rank - p first, and get the result at the end.
Turns halving_doubling_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// In log2(p) steps each rank exchanges all it has with a rank whose number differs in one bit, and both add
/// (same paper, section 4.5). The ranks from p on as above.
Turns recursive_doubling_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// Up a binomial tree to rank 0, and down again.
Turns tree_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// Reduce-scatter, then all-gather, each between all pairs of ranks (same paper, section 4.4, pairwise
/// exchange): as many bytes as the ring, but what a rank sends depends on nobody in the first n-1 steps, and
/// on these alone in the others. In step s rank r sends to rank r+s and receives from rank r-s (modulo n):
/// first the peer's chunk, which the peer adds to its own, then its own, which is complete. A rank that
/// stands still for a moment then holds up nobody but those who want its chunk.
Turns pairwise_turns(std::int64_t rank, std::int64_t world_size, ElementRange block);

/// The ranks of a host hand theirs in to the lowest of them, these leaders sum round a ring, and hand the sum
/// out: on the network between hosts it has the steps of a ring of hosts. The world size is that of hosts.
Turns hierarchical_turns(std::int64_t rank, const HostMap& hosts, ElementRange block);

/// The second half of the ring alone: each rank has a piece of so many elements, at rank * piece, and gets
/// those of all others in n-1 steps. In step s rank r passes on the piece of rank r-s.
Turns ring_gather_turns(std::int64_t rank, std::int64_t world_size, std::uint64_t piece);

/// The same in log2(n) steps, where n is a power of two: in each step two ranks whose numbers differ in one
/// bit exchange all pieces that they have.
Turns doubling_gather_turns(std::int64_t rank, std::int64_t world_size, std::uint64_t piece);

/// Up to so many ranks all are partners, whatever the algorithms.
inline constexpr std::int64_t all_linked_ranks = 8;

/// The ranks that a rank sends to and receives from: the neighbours on the ring, and those whose number
/// differs in one bit; all, where they are few; and those that the algorithms among more have beside. In
/// ascending order.
std::vector<std::int64_t> partners_of(std::int64_t rank, const HostMap& hosts,
                                      std::span<const AllReduceAlgorithm> more = {});

}  // namespace convoy
