#pragma once

#include <optional>

#include "kernels/xtensor/memory.hpp"
#include "kernels/xtensor/store.hpp"
#include "program/kernel.hpp"

namespace convoy::plain {

/// A program bound to the memory of a store. Program and store must outlive it.
template <typename Scalar>
class XtensorProgram final : public BoundProgram {
  public:
    XtensorProgram(const Program& program, Store<Scalar>& store);

    [[nodiscard]] const Program& program() const override { return program_; }
    std::span<BoundKernel> kernels(std::size_t operator_index) override {
        return kernels_.at(operator_index);
    }
    void feed(std::size_t operator_index, const Batch& batch) override;
    /// Throws InternalError if Scalar is double, since exchanges sum no doubles.
    std::span<float> bucket(std::size_t bucket_index) override;
    [[nodiscard]] StepMetrics metrics() const override;
    [[nodiscard]] std::optional<double> told(TensorRole role) const override;
    /// Throws InternalError for a tensor that no operator touches.
    [[nodiscard]] std::vector<float> read(TensorId id) const override;

  private:
    void place_tensors();
    void find_metrics();
    void bind_kernels();

    const Program& program_;
    Store<Scalar>& store_;
    std::vector<std::vector<std::int32_t>> integer_values_;  ///< by tensor; empty for most
    Memory<Scalar> memory_;
    std::vector<std::vector<BoundKernel>> kernels_;  ///< by operator
    std::optional<TensorId> metrics_;
};

}  // namespace convoy::plain
