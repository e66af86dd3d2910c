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
    std::int64_t warmup = 5;       ///< iterations of each size that are not counted, before the others
    std::int64_t connections = 1;  ///< connections; the buffer is cut into one piece for each
    AllReduceOptions options = {};
};

/// The number of counted iterations of a size: the number in `bench`, or enough for about 256 MB in total, 20
/// to 500.
std::int64_t iterations_of(const AllReduceBench& bench, std::int64_t size);

/// One node's part in the bench (a NodeJob). It first runs small sums for a tenth of a second. Then, for each
/// size, it sums a buffer over all nodes many times. Before each sum it fills the buffer, and the nodes wait
/// for each other; they wait again after the sum. The measured time is that of start and wait only. Each
/// element of each result is compared with the expected sum, which is exact in every type.
///
/// It reports its results as StepRecords: epoch is the index of the size, counted from 1; step is the
/// iteration; examples is the number of elements; correct is the number of correct elements; step_us is the
/// time.
void run_all_reduce_bench(const AllReduceBench& bench, const NodeAssignment& assignment, Network& network,
                          NodeReporter& reporter);

/// The median time of each size in microseconds. The time of an iteration is that of its slowest node.
std::vector<double> all_reduce_medians_us(const AllReduceBench& bench, const NodeRecords& records);

/// Makes a table of the records of all nodes, with the columns of nccl-tests (NVIDIA/nccl-tests,
/// doc/PERFORMANCE.md). The time of an iteration is that of its slowest node. time is the median over the
/// iterations; the minimum and the 99th percentile stand beside it. algbw = size / time. busbw = algbw * 2
/// (n-1) / n, the rate of each node's link in each direction. Both are in GB/s of 10^9 bytes. size, count and
/// type are those of the summed buffer; wire is the type on the wire. wrong counts wrong elements over all
/// nodes and iterations.
Table all_reduce_table(const AllReduceBench& bench, std::int64_t nodes, const NodeRecords& records);

}  // namespace convoy
