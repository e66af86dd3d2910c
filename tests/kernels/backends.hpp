#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/onednn/backend.hpp"
#include "kernels/xtensor/backend.hpp"

namespace convoy::test {

/// A way to make the back-end under test; every test of numbers runs on all of them.
struct BackendFactory {
    std::string name;
    std::function<std::unique_ptr<Backend>()> make;
};

inline std::vector<BackendFactory> backend_factories() {
    const auto onednn = [](ConvolutionAlgorithm convolution, ParameterLayout layout, int threads) {
        return [=] {
            KernelSpec spec;
            spec.convolution = convolution;
            spec.parameter_layout = layout;
            return make_onednn_backend(spec, threads);
        };
    };
    return {{"xtensor", [] { return make_xtensor_backend(); }},
            {"onednn", onednn(ConvolutionAlgorithm::automatic, ParameterLayout::automatic, 1)},
            {"onednn with direct convolutions",
             onednn(ConvolutionAlgorithm::direct, ParameterLayout::automatic, 1)},
            {"onednn with winograd convolutions",
             onednn(ConvolutionAlgorithm::winograd, ParameterLayout::automatic, 1)},
            {"onednn with plain parameters on 2 threads",
             onednn(ConvolutionAlgorithm::automatic, ParameterLayout::plain, 2)}};
}

}  // namespace convoy::test
