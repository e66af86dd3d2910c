#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The order of examples that are read from several files in turn, as in tf.data's interleave. Up to
/// cycle_length files are open, each in a place of its own. Places take turns, and each turn reads
/// block_length examples. A turn whose file is at its end reads nothing, and the place's next turn opens the
/// next file. Examples are numbered through all files. lengths: the number of examples in each file.
///
/// Source: tensorflow/core/kernels/data/interleave_dataset_op.cc, without parallel calls.
std::vector<std::uint32_t> interleaved_order(std::span<const std::int64_t> lengths,
                                             const InterleaveSpec& spec);

}  // namespace convoy
