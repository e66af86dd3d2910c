#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "measure/predictions.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Runs the spec's network with these weights (a safetensors file's bytes; source names it in errors) over
/// the whole test set, in this process on so many compute threads. Throws DataError or MissingFileError.
Evaluation evaluate_weights(const ExperimentSpec& spec, std::span<const std::byte> weights,
                            const std::string& source, const std::filesystem::path& data_folder, int threads);

}  // namespace convoy
