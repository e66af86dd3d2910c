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

/// The reference back-end: every operator written plainly on xtensor, products by xtensor-blas, all tensors
/// row-major. Scalar is float, or double for gradient checks; both are instantiated.
///
/// Parameters, slots, gradients and buckets are found by name and shared by all programs; gradients that
/// belong to a bucket lie in it. Slots begin at their parameter's slot_start, all else at 0. Activations of
/// all programs share one arena, as only one program runs at a time. Every tensor has its memory when bind()
/// returns; running an operator allocates the temporaries of its xtensor expressions (a product's result, the
/// columns of one image) and nothing else.
template <typename Scalar>
class XtensorBackend final : public Backend {
  public:
    XtensorBackend();
    XtensorBackend(const XtensorBackend&) = delete;
    XtensorBackend& operator=(const XtensorBackend&) = delete;
    XtensorBackend(XtensorBackend&&) = delete;
    XtensorBackend& operator=(XtensorBackend&&) = delete;
    ~XtensorBackend() override;

    /// The bound programs refer to memory of this back-end, which must outlive them. Throws InternalError
    /// where programs disagree on the size or place of a shared tensor.
    std::vector<std::unique_ptr<BoundProgram>> bind(std::span<const Program> programs,
                                                    std::span<const Program> layouts = {}) override;
    void write(const std::string& tensor, std::span<const float> values) override;
    [[nodiscard]] std::vector<float> read(const std::string& tensor) const override;
    [[nodiscard]] std::string layout_fingerprint(std::span<const std::string>) const override {
        return "plain";
    }

    /// A parameter, slot, gradient or bucket itself, to read and change without rounding to float.
    /// Throws InternalError for a name that there is not.
    [[nodiscard]] std::span<Scalar> values(const std::string& tensor);

  private:
    std::unique_ptr<plain::Store<Scalar>> store_;
    std::set<std::string> kept_;  // parameters, slots and residuals in the store
};

extern template class XtensorBackend<float>;
extern template class XtensorBackend<double>;

/// The reference back-end for training. threads: of the BLAS that computes its products, for the whole
/// process.
std::unique_ptr<Backend> make_xtensor_backend(int threads = 1);

}  // namespace convoy
