#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/model_spec.hpp"

namespace convoy {

/// Returns a named model with its input and layers written out. An inline model is returned unchanged. Throws
/// a DataError that lists all names.
ModelSpec resolve_model(const ModelSpec& model);

/// The greatest depth of a residual network. A deeper network has more layers than a spec may list.
constexpr std::int64_t most_depth = 1001;

/// The names that resolve_model knows.
std::vector<std::string> model_names();

}  // namespace convoy
