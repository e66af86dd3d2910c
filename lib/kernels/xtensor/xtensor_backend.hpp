#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "program/kernel.hpp"

namespace convoy {

namespace plain {
template <typename Scalar>
class Store;
}

/// The reference back-end. Operators are plain code on xtensor, products use xtensor-blas, and all tensors
/// are row-major. Scalar is float, or double for gradient checks; both are instantiated.
///
/// All programs share parameters, slots, gradients and buckets by name. Gradients of a bucket lie in the
/// bucket. Slots begin at their parameter's slot_start, all other tensors at 0. Activations of all programs
/// share one arena, since only one program runs at a time. All tensors have memory when bind() returns. A run
/// of an operator allocates only temporaries of its xtensor expressions (the result of a product, the columns
/// of one image).
template <typename Scalar>
class XtensorBackend final : public Backend {
  public:
    XtensorBackend();
    XtensorBackend(const XtensorBackend&) = delete;
    XtensorBackend& operator=(const XtensorBackend&) = delete;
    XtensorBackend(XtensorBackend&&) = delete;
    XtensorBackend& operator=(XtensorBackend&&) = delete;
    ~XtensorBackend() override;

    /// The bound programs refer to memory of this back-end, which must outlive them. Throws InternalError if
    /// programs disagree on the size or place of a shared tensor.
    std::vector<std::unique_ptr<BoundProgram>> bind(std::span<const Program> programs,
                                                    std::span<const Program> layouts = {}) override;
    void write(const std::string& tensor, std::span<const float> values) override;
    [[nodiscard]] std::vector<float> read(const std::string& tensor) const override;
    [[nodiscard]] std::string layout_fingerprint(std::span<const std::string>) const override {
        return "plain";
    }

    /// The memory of a parameter, slot, gradient or bucket, to read and change without rounding to float.
    /// Throws InternalError for an unknown name.
    [[nodiscard]] std::span<Scalar> values(const std::string& tensor);

  private:
    std::unique_ptr<plain::Store<Scalar>> store_;
    std::set<std::string> kept_;  // parameters, slots and residuals in the store
};

extern template class XtensorBackend<float>;
extern template class XtensorBackend<double>;

/// Makes the reference back-end for training. threads: the threads of the BLAS library that computes
/// products, for the whole process.
std::unique_ptr<Backend> make_xtensor_backend(int threads = 1);

}  // namespace convoy
