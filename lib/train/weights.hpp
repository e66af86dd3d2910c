#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Sets every parameter from the spec's initial_weights file, or else from its seed.
/// Throws MissingFileError, or DataError where the file's tensors are not the network's.
void set_initial_weights(Backend& backend, const Graph& graph, const ExperimentSpec& spec);

/// Sets every parameter from the bytes of a safetensors file; source names it in errors. Throws DataError.
void set_weights(Backend& backend, const Graph& graph, std::span<const std::byte> safetensors,
                 const std::string& source);

/// Parameters, optimizer slots and residuals as the bytes of a safetensors file: all that training changes.
std::vector<std::byte> get_training_tensors(const Backend& backend, const Graph& graph);

/// The way back; source names the bytes in errors. Throws DataError where they are not this network's.
void set_training_tensors(Backend& backend, const Graph& graph, std::span<const std::byte> safetensors,
                          const std::string& source);

/// The first parameter that holds a NaN or an infinity.
std::optional<std::string> find_not_finite(const Backend& backend, const Graph& graph);

/// The parameters as the bytes of a safetensors file, in the order of the layers.
std::vector<std::byte> get_weights(const Backend& backend, const Graph& graph);

}  // namespace convoy
