#include "kernels/xtensor/xtensor_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "kernels/xtensor/bound_program.hpp"
#include "kernels/xtensor/openblas.hpp"
#include "kernels/xtensor/store.hpp"

namespace convoy {

template <typename Scalar>
XtensorBackend<Scalar>::XtensorBackend() : store_(std::make_unique<plain::Store<Scalar>>()) {}

template <typename Scalar>
XtensorBackend<Scalar>::~XtensorBackend() = default;

template <typename Scalar>
std::vector<std::unique_ptr<BoundProgram>> XtensorBackend<Scalar>::bind(
    std::span<const Program> programs, std::span<const Program> /*layouts*/) {
    auto store = std::make_unique<plain::Store<Scalar>>();
    store->reserve(programs);
    auto kept = kept_tensors(programs);
    for (const auto& name : kept_) {
        if (!kept.contains(name)) continue;
        const auto from = store_->shared(name), to = store->shared(name);
        if (from.size() != to.size()) {
            throw InternalError(
                fmt::format("tensor {} had {} elements and has {} now", name, from.size(), to.size()));
        }
        std::ranges::copy(from, to.begin());
    }
    store_ = std::move(store);
    kept_ = std::move(kept);
    std::vector<std::unique_ptr<BoundProgram>> bound;
    for (const auto& program : programs) {
        bound.push_back(std::make_unique<plain::XtensorProgram<Scalar>>(program, *store_));
    }
    return bound;
}

template <typename Scalar>
void XtensorBackend<Scalar>::write(const std::string& tensor, std::span<const float> values) {
    const auto target = store_->shared(tensor);
    if (target.size() != values.size()) {
        throw InternalError(
            fmt::format("{} values for tensor {} of {} elements", values.size(), tensor, target.size()));
    }
    std::ranges::copy(values, target.begin());
}

template <typename Scalar>
std::vector<float> XtensorBackend<Scalar>::read(const std::string& tensor) const {
    const auto source = store_->shared(tensor);
    std::vector<float> values(source.size());
    std::ranges::transform(source, values.begin(), [](Scalar v) { return static_cast<float>(v); });
    return values;
}

template <typename Scalar>
std::span<Scalar> XtensorBackend<Scalar>::values(const std::string& tensor) {
    return store_->shared(tensor);
}

template class XtensorBackend<float>;
template class XtensorBackend<double>;

std::unique_ptr<Backend> make_xtensor_backend(int threads) {
    plain::set_blas_threads(threads);
    return std::make_unique<XtensorBackend<float>>();
}

}  // namespace convoy
