#pragma once

#include <cstdint>
#include <map>

#include "job/checkpoint.hpp"

namespace convoy {

/// A checkpoint for another cut.
struct CutCheckpoint {
    RunCheckpoint checkpoint;
    /// The last records of the ranks that are gone, by rank: those of the epoch under way. They belong behind
    /// the marks of the checkpoint.
    std::map<std::int64_t, NodeRecords> last_records;
};

/// The same checkpoint for a run with other ranks, or with another cut of the network over the ranks.
///
/// * Parameters and slots are put together from the parts of all nodes. Where nodes hold different values of
///   a parameter (replicas of local_sgd), the mean is taken.
/// * Residuals of all nodes are added up, and each new rank gets an equal part of the sum. So the part of the
///   gradients that is not sent yet stays the same.
/// * Ranks that remain keep their records. Those of a rank that is gone are over; a new rank begins without
///   records, but goes on with the totals of an earlier rank of its number.
///
/// In the result each node has the tensors of the whole network, in the file of rank 0. ranks: at least 1.
/// Throws DataError if the tensors of a node cannot be read, or do not make up whole tensors.
CutCheckpoint cut_anew(RunCheckpoint checkpoint, std::int64_t ranks);

}  // namespace convoy
