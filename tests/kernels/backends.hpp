#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/onednn/onednn_backend.hpp"
#include "kernels/xtensor/xtensor_backend.hpp"
#include "support/sanitized.hpp"

namespace convoy::test {

/// A way to make the back-end under test; every test of numbers runs on all of them.
struct BackendFactory {
    std::string name;
    std::function<std::unique_ptr<Backend>()> make;
};

/// Threads for the tests that want several. One under tsan: GCC's OpenMP library is not built for it, so that
/// tsan sees none of its barriers and calls every shared loop a race.
inline constexpr int several_threads = has_thread_sanitizer ? 1 : 2;

inline std::vector<BackendFactory> backend_factories() {
    const auto onednn = [](ConvolutionAlgorithm convolution, ParameterLayout layout, int threads) {
        return [=] {
            KernelSpec spec;
            spec.convolution = convolution;
            spec.parameter_layout = layout;
            return make_onednn_backend(spec, threads, threads);
        };
    };
    return {{"xtensor", [] { return make_xtensor_backend(); }},
            {"onednn", onednn(ConvolutionAlgorithm::automatic, ParameterLayout::automatic, 1)},
            {"onednn with direct convolutions",
             onednn(ConvolutionAlgorithm::direct, ParameterLayout::automatic, 1)},
            {"onednn with plain parameters on several threads",
             onednn(ConvolutionAlgorithm::automatic, ParameterLayout::plain, several_threads)}};
}

}  // namespace convoy::test
