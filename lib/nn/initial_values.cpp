#include "nn/initial_values.hpp"

#include <cmath>
#include <numbers>

#include "base/random.hpp"

namespace convoy {
namespace {

/// Standard deviation of a standard normal that is cut off at -2 and 2.
constexpr double cut_off_deviation = 0.87962566103423978;

double glorot_uniform(const RandomStream& random, std::uint32_t element, const Parameter& parameter) {
    const double limit = std::sqrt(6.0 / static_cast<double>(parameter.fan_in + parameter.fan_out));
    return (2.0 * random.uniform(0, element) - 1.0) * limit;
}

/// By Box and Muller; a value beyond two standard deviations is drawn again, with the next pair of numbers.
double he_normal(const RandomStream& random, std::uint32_t element, const Parameter& parameter) {
    const double deviation = std::sqrt(2.0 / static_cast<double>(parameter.fan_in)) / cut_off_deviation;
    for (std::uint32_t attempt = 0;; ++attempt) {
        const double radius = std::sqrt(-2.0 * std::log(1.0 - random.uniform(2 * attempt, element)));
        const double value =
            radius * std::cos(2.0 * std::numbers::pi * random.uniform(2 * attempt + 1, element));
        if (std::abs(value) <= 2.0) return value * deviation;
    }
}

}  // namespace

std::vector<float> initial_values(const Shape& whole, const TensorSlice& slice, const Parameter& parameter,
                                  std::uint64_t seed) {
    const auto elements = static_cast<std::size_t>(slice_shape(slice, whole).elements());
    if (parameter.initializer == Initializer::zeros) return std::vector<float>(elements, 0.0F);
    if (parameter.initializer == Initializer::ones) return std::vector<float>(elements, 1.0F);
    const RandomStream random(seed, RandomPurpose::initial_weights, parameter.layer);
    const auto draw = parameter.initializer == Initializer::he_normal ? he_normal : glorot_uniform;
    std::vector<float> values(elements);
    for (const auto& run : slice_runs(slice, whole)) {
        for (std::size_t i = 0; i < run.elements; ++i) {
            const auto element = static_cast<std::uint32_t>(run.in_whole + i);
            values[run.in_slice + i] = static_cast<float>(draw(random, element, parameter));
        }
    }
    return values;
}

}  // namespace convoy
