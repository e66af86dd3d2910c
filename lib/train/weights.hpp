#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/node_plan.hpp"
#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Parameters of the network in its order. Functions here read and write those that the node holds; files
/// must have all of them.
using HeldParameters = std::span<const HeldParameter>;

/// Sets every parameter from the spec's initial_weights file, or else from its seed.
/// Throws MissingFileError, or DataError where the file's tensors are not the network's.
void set_initial_weights(Backend& backend, HeldParameters parameters, const ExperimentSpec& spec);

/// Sets every parameter from the bytes of a safetensors file; source names it in errors. Throws DataError.
void set_weights(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                 const std::string& source);

/// Parameters, optimizer slots and residuals as the bytes of a safetensors file: all that training changes.
std::vector<std::byte> get_training_tensors(const Backend& backend, HeldParameters parameters);

/// The way back; source names the bytes in errors. Throws DataError where they are not this network's.
void set_training_tensors(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                          const std::string& source);

/// The first parameter that holds a NaN or an infinity.
std::optional<std::string> find_not_finite(const Backend& backend, HeldParameters parameters);

/// The parameters as the bytes of a safetensors file, in the order of the layers.
std::vector<std::byte> get_weights(const Backend& backend, HeldParameters parameters);

/// Those of the parameters that have this mark.
std::vector<HeldParameter> marked(HeldParameters parameters, bool HeldParameter::*mark);

}  // namespace convoy
