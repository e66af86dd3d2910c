#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "spec/experiment_spec.hpp"

namespace convoy {

/// The number of micro-batches in a whole batch. The spec has micro-batches.
std::int64_t micro_batches_of_batch(const ExperimentSpec& spec);

/// Why the bits of training losses and weights depend on the number of nodes; absent if they do not
/// (SPEC.md, "Same bits").
std::optional<std::string> bits_depend_on_nodes(const ExperimentSpec& spec);

/// Lines for the user: if a run need not end with the same bits each time; with micro-batches also if bits
/// depend on the number of nodes all the same, and if a batch has fewer micro-batches than nodes, so that
/// some nodes have nothing to do.
std::vector<std::string> notes_on_bits(const ExperimentSpec& spec);

}  // namespace convoy
