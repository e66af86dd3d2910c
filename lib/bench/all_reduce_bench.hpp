#pragma once

#include <cstdint>
#include <vector>

#include "job/node_job.hpp"
#include "job/node_network.hpp"
#include "program/communicator.hpp"
#include "report/table.hpp"

namespace convoy {

/// What `convoy bench allreduce` measures.
struct AllReduceBench {
    std::vector<std::int64_t> sizes = {};  ///< of the buffer, in bytes
    std::int64_t iterations = 0;           ///< per size; 0: more for small sizes, see iterations_of
    std::int64_t warmup = 5;               ///< iterations per size before those that count
    std::int64_t connections = 1;          ///< the buffer is cut into as many pieces, one on each
    AllReduceOptions options = {};
};

/// How many iterations of a size count: what the bench says, or enough for about 256 MB in all, 20 to 500.
std::int64_t iterations_of(const AllReduceBench& bench, std::int64_t size);

/// One node's part, a NodeJob: after small sums for a tenth of a second, for each size, sums a buffer over
/// all nodes again and again. Before each sum the buffer is filled anew and the nodes wait for each other,
/// and again behind it; the time is that of start and wait alone. Every element of every result is compared
/// with the sum that it must be, which is exact in every type.
///
/// It reports what it found as StepRecords: epoch is the size's index counted from 1, step the iteration,
/// examples the elements and correct those that were right, step_us the time.
void run_all_reduce_bench(const AllReduceBench& bench, const NodeAssignment& assignment, Network& network,
                          NodeReporter& reporter);

/// The median time of each size in microseconds, an iteration taking as long as on its slowest node.
std::vector<double> all_reduce_medians_us(const AllReduceBench& bench, const NodeRecords& records);

/// What all nodes reported, with the columns of nccl-tests (NVIDIA/nccl-tests, doc/PERFORMANCE.md): an
/// iteration takes as long as on its slowest node; time is the median over the iterations, with the least and
/// the 99th percentile beside it. algbw = size / time; busbw = algbw * 2 (n-1) / n, which is what each node's
/// link carries either way; in GB/s of 10^9 bytes. Size, count and type are those of the buffer that is
/// summed; wire is the type that travels. wrong counts elements over all nodes and iterations.
Table all_reduce_table(const AllReduceBench& bench, std::int64_t nodes, const NodeRecords& records);

}  // namespace convoy
