#include "nn/initial_values.hpp"

#include <cmath>

#include "base/random.hpp"

namespace convoy {

std::vector<float> initial_values(const Graph& graph, const Parameter& parameter, std::uint64_t seed) {
    std::vector<float> values(static_cast<std::size_t>(graph.tensor(parameter.value).shape.elements()), 0.0F);
    if (parameter.initializer == Initializer::zeros) return values;
    const RandomStream random(seed, RandomPurpose::initial_weights, parameter.layer);
    const double limit = std::sqrt(6.0 / static_cast<double>(parameter.fan_in + parameter.fan_out));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] =
            static_cast<float>((2.0 * random.uniform(0, static_cast<std::uint32_t>(i)) - 1.0) * limit);
    }
    return values;
}

}  // namespace convoy
