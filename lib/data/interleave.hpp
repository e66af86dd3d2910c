#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The order in which examples are read from several files in turn, as tf.data's interleave has it: up to
/// cycle_length files are open, each in a place of its own; places take turns, and each turn gives
/// block_length examples. A turn that finds its file at the end passes, and the place's next turn opens the
/// next file. Examples are numbered through all files. lengths: examples in each file.
///
/// Source: tensorflow/core/kernels/data/interleave_dataset_op.cc, without parallel calls.
std::vector<std::uint32_t> interleaved_order(std::span<const std::int64_t> lengths,
                                             const InterleaveSpec& spec);

}  // namespace convoy
