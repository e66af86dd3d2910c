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

/// What changes from step to step and is not a tensor.
struct StepContext {
    std::uint64_t seed = 0;
    std::uint32_t epoch = 0;                  ///< counted from 0
    std::int64_t step = 0;                    ///< over the whole run, counted from 0
    double learning_rate_factor = 1.0;        ///< what the schedule makes of the optimizer's learning rate
    std::span<const std::uint32_t> examples;  ///< of this node's rows; set by the Dataset operator
    std::int64_t global_examples = 0;  ///< by which the loss gradient is divided; set by the Dataset operator
};

/// One operator bound to memory. It may be run any number of times; it allocates nothing when run.
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

/// A kernel with the row of the operator table that its time goes to. A back-end may add kernels of its own,
/// such as a memory-format reorder before an operator; they get a row too.
struct BoundKernel {
    std::string operator_name;
    std::string name;
    std::unique_ptr<Kernel> kernel;
};

struct StepMetrics {
    double loss_sum = 0.0;  ///< over this node's examples, without any penalty term
    std::int64_t correct = 0;
};

/// A program bound to kernels and memory of one back-end.
class BoundProgram {
  public:
    BoundProgram() = default;
    BoundProgram(const BoundProgram&) = delete;
    BoundProgram& operator=(const BoundProgram&) = delete;
    BoundProgram(BoundProgram&&) = delete;
    BoundProgram& operator=(BoundProgram&&) = delete;
    virtual ~BoundProgram() = default;

    [[nodiscard]] virtual const Program& program() const = 0;
    /// The kernels that run operator i of the program, in order. Of an exchange: those to run before it is
    /// started. Empty for the dataset and for exact sums.
    virtual std::span<BoundKernel> kernels(std::size_t operator_index) = 0;
    /// Of an exchange: the kernels to run behind the wait for it, as a back-end needs them whose buckets are
    /// copies in the processor's memory.
    virtual std::span<BoundKernel> kernels_behind([[maybe_unused]] std::size_t operator_index) { return {}; }
    /// What an element of an activation takes in memory.
    [[nodiscard]] virtual std::int64_t activation_bytes() const { return sizeof(float); }
    /// Copies a batch of the program's size into its input tensors.
    virtual void feed(const Batch& batch) = 0;
    /// The bucket's memory, for a collective to reduce in place.
    virtual std::span<float> bucket(std::size_t bucket_index) = 0;
    /// What the loss operator of the last run found.
    [[nodiscard]] virtual StepMetrics metrics() const = 0;
    /// The number that the last run found for this role, where the program has a tensor of it: gradient_norm
    /// or penalty.
    [[nodiscard]] virtual std::optional<double> told(TensorRole role) const = 0;
    /// A tensor's values in plain order (N,C,H,W and so on), for tests and predictions. Only tensors that are
    /// still live after the last operator hold what was computed: program outputs, parameters, slots,
    /// gradients.
    [[nodiscard]] virtual std::vector<float> read(TensorId id) const = 0;
};

/// A compute back-end: it owns all tensor memory of a node.
class Backend {
  public:
    Backend() = default;
    Backend(const Backend&) = delete;
    Backend& operator=(const Backend&) = delete;
    Backend(Backend&&) = delete;
    Backend& operator=(Backend&&) = delete;
    virtual ~Backend() = default;

    /// Binds every program that this node will run. They share parameters, slots, buckets and one arena, so
    /// only one runs at a time. Slots then hold their start; parameters hold nothing until they are written.
    /// The programs must outlive what is bound.
    ///
    /// May be called again with other programs, as after a change of the cluster: what was bound before must
    /// be gone by then. Parameters, slots and residuals that these programs know, too, keep their values.
    ///
    /// layouts: the programs that decide how parameters lie in memory, in order, each as for the largest
    /// share of the cluster, so that all ranks decide alike; they need not outlive the call. Empty: the
    /// programs themselves.
    virtual std::vector<std::unique_ptr<BoundProgram>> bind(std::span<const Program> programs,
                                                            std::span<const Program> layouts = {}) = 0;
    /// Sets a parameter or slot from values in plain order.
    virtual void write(const std::string& tensor, std::span<const float> values) = 0;
    /// A parameter or slot in plain order.
    [[nodiscard]] virtual std::vector<float> read(const std::string& tensor) const = 0;
    /// How these parameters lie in memory, as text; ranks that reduce together must agree on it.
    /// "plain" where all of them lie in the order of their axes, whatever the back-end.
    [[nodiscard]] virtual std::string layout_fingerprint(std::span<const std::string> parameters) const = 0;
};

}  // namespace convoy
