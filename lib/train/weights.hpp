#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/records.hpp"
#include "plan/node_plan.hpp"
#include "program/kernel.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Parameters of the network, in its order. Functions here read and write the parts that the node holds. What
/// they write has parts of tensors (tensor/tensor_parts.hpp) where the node holds no whole.
using HeldParameters = std::span<const HeldParameter>;

/// Sets each parameter from the spec's initial_weights file, or else from the spec's seed. Throws
/// MissingFileError, or DataError if the tensors of the file are not the tensors of the network.
void set_initial_weights(Backend& backend, HeldParameters parameters, const ExperimentSpec& spec);

/// Sets each parameter from the bytes of a safetensors file; `source` names it in errors. The file must have
/// exactly the tensors of the given parameters, whole, also of parameters that the node does not hold. Throws
/// DataError.
void set_weights(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                 const std::string& source);

/// Parameters, optimizer slots and residuals as the bytes of a safetensors file. Training changes no other
/// tensors.
std::vector<std::byte> get_training_tensors(const Backend& backend, HeldParameters parameters);

/// Sets parameters, slots and residuals from the bytes of get_training_tensors, or from a file with whole
/// tensors; `source` names the bytes in errors. The file may have more tensors than the node holds. A
/// residual that it lacks stays as it is. Throws DataError if the file lacks another tensor or a part of it,
/// or if a tensor has another shape than the network's.
void set_training_tensors(Backend& backend, HeldParameters parameters, std::span<const std::byte> safetensors,
                          const std::string& source);

/// The name of the first parameter with a NaN or an infinity. Absent if all values are finite.
std::optional<std::string> find_not_finite(const Backend& backend, HeldParameters parameters);

/// The parameters as the bytes of a safetensors file, in the order of the layers.
std::vector<std::byte> get_weights(const Backend& backend, HeldParameters parameters);

/// The parameters of which the node holds a part, or the whole.
std::vector<HeldParameter> held(HeldParameters parameters);

/// The parts of parameters that the node holds, of those that it does not hold as a whole.
std::vector<HeldPart> cut_parts(HeldParameters parameters);

/// The parameters that have this mark.
std::vector<HeldParameter> marked(HeldParameters parameters, bool HeldParameter::*mark);

}  // namespace convoy
