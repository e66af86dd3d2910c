#include "kernels/golden.hpp"

#include <xtensor/xarray.hpp>
#include <xtensor/xnpy.hpp>

namespace convoy::test {
namespace {

template <typename T>
std::vector<T> load(const std::string& name) {
    const auto array = xt::load_npy<T>(std::string(CONVOY_GOLDEN_FOLDER) + "/" + name + ".npy");
    return {array.begin(), array.end()};
}

}  // namespace

std::vector<double> golden(const std::string& name) {
    return load<double>(name);
}

std::vector<float> golden_floats(const std::string& name) {
    return load<float>(name);
}

std::vector<std::int32_t> golden_integers(const std::string& name) {
    return load<std::int32_t>(name);
}

std::vector<float> golden_rounded(const std::string& name) {
    const auto values = golden(name);
    return {values.begin(), values.end()};
}

}  // namespace convoy::test
