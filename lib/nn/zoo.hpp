#pragma once

#include <string>
#include <vector>

#include "spec/model_spec.hpp"

namespace convoy {

/// A named model with its input and layers written out; an inline model is returned as it is. Throws
/// DataError with the names that there are.
ModelSpec resolve_model(const ModelSpec& model);

/// The names that resolve_model knows.
std::vector<std::string> model_names();

}  // namespace convoy
