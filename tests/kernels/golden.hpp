#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy::test {

/// How many steps every golden training takes.
inline constexpr std::int64_t golden_steps = 10;

/// The values of golden/NAME.npy, in row-major order. Throws where the file is missing or of another type.
std::vector<double> golden(const std::string& name);
std::vector<float> golden_floats(const std::string& name);
std::vector<std::int32_t> golden_integers(const std::string& name);
/// The same of a tensor in double precision whose values single precision holds exactly.
std::vector<float> golden_rounded(const std::string& name);

}  // namespace convoy::test
