#pragma once

#include <string_view>

namespace convoy {

/// The name of a parameter's residual is the parameter's name with this behind it.
inline constexpr std::string_view residual_suffix = "/residual";

}  // namespace convoy
