#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/batch.hpp"
#include "program/program.hpp"

namespace convoy {

/// The inputs of a step that are not tensors.
struct StepContext {
    std::uint64_t seed = 0;
    std::uint32_t epoch = 0;            ///< counted from 0
    std::int64_t step = 0;              ///< over the whole run, counted from 0
    double learning_rate_factor = 1.0;  ///< the schedule's factor of the optimizer's learning rate
    /// Example numbers of this node's rows. The operator that reads them sets them.
    std::span<const std::uint32_t> examples;
    std::int64_t global_examples = 0;  ///< divisor of the loss gradient; the first Dataset operator sets it
};

/// One computation bound to memory. It may run any number of times. `run` allocates no memory.
class Kernel {
  public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    Kernel(Kernel&&) = delete;
    Kernel& operator=(Kernel&&) = delete;
    virtual ~Kernel() = default;
    virtual void run(const StepContext& context) = 0;
};

/// A kernel, and the row of the operator table that counts its time. A back-end may add kernels of its own,
/// such as a reorder of the memory format before an operator. These have a row, too.
struct BoundKernel {
    std::string operator_name;
    std::string name;
    std::unique_ptr<Kernel> kernel;
};

struct StepMetrics {
    double loss_sum = 0.0;  ///< sum over this node's examples, without penalty terms
    std::int64_t correct = 0;
};

/// A program bound to kernels and memory of one back-end. The back-end owns the memory and must outlive it.
class BoundProgram {
  public:
    BoundProgram() = default;
    BoundProgram(const BoundProgram&) = delete;
    BoundProgram& operator=(const BoundProgram&) = delete;
    BoundProgram(BoundProgram&&) = delete;
    BoundProgram& operator=(BoundProgram&&) = delete;
    virtual ~BoundProgram() = default;

    [[nodiscard]] virtual const Program& program() const = 0;
    /// The kernels of the operator with this index, in the order in which they run. For an exchange: the
    /// kernels that run before its start. Empty for data and for exact sums.
    virtual std::span<BoundKernel> kernels(std::size_t operator_index) = 0;
    /// For an exchange: the kernels that run behind its wait. A back-end on a device needs them, if its
    /// buckets are copies in the processor's memory.
    virtual std::span<BoundKernel> kernels_behind([[maybe_unused]] std::size_t operator_index) { return {}; }
    /// Bytes of one element of an activation in memory.
    [[nodiscard]] virtual std::int64_t activation_bytes() const { return sizeof(float); }
    /// Copies one thing of a batch into the tensor of the dataset operator with this index, which reads
    /// values or labels. Throws InternalError if the batch has another size, or lacks this thing.
    virtual void feed(std::size_t operator_index, const Batch& batch) = 0;
    /// The memory of a bucket. Exchanges work on it in place.
    virtual std::span<float> bucket(std::size_t bucket_index) = 0;
    /// Loss and correct predictions of the last run.
    [[nodiscard]] virtual StepMetrics metrics() const = 0;
    /// The value of the tensor with this role (gradient_norm or penalty) in the last run. Absent if the
    /// program has no such tensor.
    [[nodiscard]] virtual std::optional<double> told(TensorRole role) const = 0;
    /// The values of a tensor in plain order (N,C,H,W and so on), for tests and predictions. The values are
    /// valid only for tensors that are live after the last operator: outputs of the program, parameters,
    /// slots and gradients.
    [[nodiscard]] virtual std::vector<float> read(TensorId id) const = 0;
};

/// A compute back-end. It owns all tensor memory of a node.
class Backend {
  public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    Backend(Backend&&) = delete;
    Backend& operator=(Backend&&) = delete;
    virtual ~Backend() = default;

    /// Binds all programs that this node will run. They share parameters, slots, buckets and one arena, so
    /// only one program runs at a time. After the call, slots hold their initial values; parameters are
    /// undefined until `write`. The programs must outlive the bound programs.
    ///
    /// May be called again with other programs, as after a change of the cluster. The programs that were
    /// bound before must be gone by then, and no exchange may be under way. Parameters, slots and residuals
    /// that the new programs also have keep their values.
    ///
    /// layouts: the programs that decide the memory layout of the parameters, in order. Each has the batch of
    /// the largest share of the cluster, so that all ranks choose the same layout. They need not outlive the
    /// call. If `layouts` is empty, `programs` decide the layout.
    virtual std::vector<std::unique_ptr<BoundProgram>> bind(std::span<const Program> programs,
                                                            std::span<const Program> layouts = {}) = 0;
    /// Sets the values of a parameter or slot. values: in plain order.
    virtual void write(const std::string& tensor, std::span<const float> values) = 0;
    /// The values of a parameter or slot in plain order.
    [[nodiscard]] virtual std::vector<float> read(const std::string& tensor) const = 0;
    /// The memory layout of these parameters, as text. Ranks that sum these parameters or their gradients
    /// must have the same text. It is "plain" if all of them lie in the order of their axes; this text is the
    /// same for all back-ends.
    [[nodiscard]] virtual std::string layout_fingerprint(std::span<const std::string> parameters) const = 0;
};

}  // namespace convoy
