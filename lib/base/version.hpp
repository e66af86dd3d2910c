#pragma once

#include <string_view>

namespace convoy {

/// convoy's version, for instance "0.1.0". It is the version of the project in the top CMakeLists.txt.
std::string_view version();

}  // namespace convoy
