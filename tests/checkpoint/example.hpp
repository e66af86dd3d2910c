#pragma once

#include "checkpoint/checkpoint_file.hpp"

namespace convoy::test {

/// Two nodes in the midst of their second epoch, with tensors of rank 0 alone. No field has its default.
KeptCheckpoint example_checkpoint(std::int64_t step = 7);

}  // namespace convoy::test
