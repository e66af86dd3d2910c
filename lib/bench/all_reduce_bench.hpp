#pragma once

#include <cstdint>
#include <vector>

#include "job/node_job.hpp"
#include "job/node_network.hpp"
#include "program/communicator.hpp"
#include "report/table.hpp"

namespace convoy {

/// The settings of `convoy bench allreduce`.
struct AllReduceBench {
    std::vector<std::int64_t> sizes = {};  ///< sizes of the buffer, in bytes
    std::int64_t iterations = 0;   ///< iterations of each size; 0: more for small sizes, see iterations_of
    std::int64_t warmup = 5;       ///< checked sums of each size, before the iterations; 0: one
    std::int64_t connections = 1;  ///< connections; the buffer is cut into one piece for each
    AllReduceOptions options = {};
};

/// The number of counted iterations of a size: the number in `bench`, or enough for about 256 MB in total, 20
/// to 500.
std::int64_t iterations_of(const AllReduceBench& bench, std::int64_t size);

/// One node's part in the bench (a NodeJob). It first runs small sums for a tenth of a second. Then, for each
/// size, it checks `warmup` sums (at least one), times `iterations` sums, and checks one more sum. The nodes
/// wait for each other before each sum. The measured time is that of start and wait only. In a checked sum,
/// each element of the result is compared with the expected sum, which is exact in every type. Timed sums add
/// zeros, one sum directly behind the other, as the peers do with which the bench is compared.
///
/// It reports its results as StepRecords: epoch is the index of the size, counted from 1; step is the
/// iteration; step_us is the time. The last record of a size has examples, the number of elements that were
/// checked, and correct, the number of correct elements among them.
void run_all_reduce_bench(const AllReduceBench& bench, const NodeAssignment& assignment, Network& network,
                          NodeReporter& reporter);

/// The median time of each size in microseconds. The time of an iteration is that of its slowest node.
std::vector<double> all_reduce_medians_us(const AllReduceBench& bench, const NodeRecords& records);

/// Makes a table of the records of all nodes, with the columns of nccl-tests (NVIDIA/nccl-tests,
/// doc/PERFORMANCE.md). The time of an iteration is that of its slowest node. time is the median over the
/// iterations; the minimum and the 99th percentile stand beside it. algbw = size / time. busbw = algbw * 2
/// (n-1) / n, the rate of each node's link in each direction. Both are in GB/s of 10^9 bytes. size, count and
/// type are those of the summed buffer; wire is the type on the wire. wrong counts wrong elements over all
/// nodes and checked sums.
Table all_reduce_table(const AllReduceBench& bench, std::int64_t nodes, const NodeRecords& records);

}  // namespace convoy
