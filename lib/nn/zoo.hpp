#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/model_spec.hpp"

namespace convoy {

/// A named model with its input and layers written out; an inline model is returned as it is. Throws
/// DataError with the names that there are.
ModelSpec resolve_model(const ModelSpec& model);

/// The deepest residual network: a bound, beyond which a network has more layers than a spec may list.
constexpr std::int64_t most_depth = 1001;

/// The names that resolve_model knows.
std::vector<std::string> model_names();

}  // namespace convoy
