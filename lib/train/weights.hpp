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

/// Parameters of the network, in its order. Functions here read and write the parameters that the node holds.
/// A file must have exactly the tensors of the given parameters, also of parameters that the node does not
/// hold.
using HeldParameters = std::span<const HeldParameter>;

/// Sets each parameter from the spec's initial_weights file, or else from the spec's seed. Throws
/// MissingFileError, or DataError if the tensors of the file are not the tensors of the network.
void set_initial_weights(Backend& backend, HeldParameters parameters, const ExperimentSpec& spec);

/// Sets each parameter from the bytes of a safetensors file; `source` names it in errors. Throws DataError.
void set_weights(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                 const std::string& source);

/// Parameters, optimizer slots and residuals as the bytes of a safetensors file. Training changes no other
/// tensors.
std::vector<std::byte> get_training_tensors(const Backend& backend, HeldParameters parameters);

/// Sets parameters, slots and residuals from the bytes of get_training_tensors; `source` names the bytes in
/// errors. Throws DataError if the tensors are not those of this network.
void set_training_tensors(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                          const std::string& source);

/// The name of the first parameter with a NaN or an infinity. Absent if all values are finite.
std::optional<std::string> find_not_finite(const Backend& backend, HeldParameters parameters);

/// The parameters as the bytes of a safetensors file, in the order of the layers.
std::vector<std::byte> get_weights(const Backend& backend, HeldParameters parameters);

/// The parameters that have this mark.
std::vector<HeldParameter> marked(HeldParameters parameters, bool HeldParameter::*mark);

}  // namespace convoy
