#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "measure/predictions.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Evaluates the network of a spec on the whole test set, in this process. weights: the bytes of a
/// safetensors file; `source` names it in errors. threads: number of compute threads. Throws DataError or
/// MissingFileError.
Evaluation evaluate_weights(const ExperimentSpec& spec, std::span<const std::byte> weights,
                            const std::string& source, const std::filesystem::path& data_folder, int threads);

}  // namespace convoy
