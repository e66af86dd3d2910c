#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/xtensor/backend.hpp"

namespace convoy::test {

/// A way to make the back-end under test; every test of numbers runs on all of them.
struct BackendFactory {
    std::string name;
    std::function<std::unique_ptr<Backend>()> make;
};

inline std::vector<BackendFactory> backend_factories() {
    return {{"xtensor", [] { return make_xtensor_backend(); }}};
}

}  // namespace convoy::test
