#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "exchange/element_range.hpp"
#include "exchange/exchange.hpp"
#include "spec/optimizer_spec.hpp"

namespace convoy {

/// Index of a tensor in the graph or program that holds it.
enum class TensorId : std::int32_t {};
constexpr std::size_t index(TensorId id) {
    return static_cast<std::size_t>(id);
}

/// The kind of an operator. operator_name() gives its name in tables (TensorFlow's name, if there is one).
/// Shapes: x, y are N,C,H,W (convolution, pooling) or N,F (dense); kernels O,I,H,W with I the channels of a
/// group; dense weights out,in.
enum class OperatorKind : std::uint8_t {
    dataset,                       ///< -> one input, labels, or nothing: one thing of the next batch
    conv2d,                        ///< x, weight -> y
    conv2d_backprop_filter,        ///< x, dy -> dweight
    conv2d_backprop_input,         ///< weight, dy -> dx
    fused_conv2d,                  ///< x, weight, bias, [addend] -> y, with the activation of its attributes;
                                   ///< the addend has y's shape and comes before the activation
    fused_conv2d_backprop_filter,  ///< x, dy -> dweight, dbias
    matmul,                        ///< x, weight -> x weight^T
    matmul_backprop_weight,        ///< x, dy -> dy^T x
    matmul_backprop_input,         ///< weight, dy -> dy weight
    fused_matmul,                  ///< x, weight, bias -> y, with activation
    fused_matmul_backprop_weight,  ///< x, dy -> dweight, dbias
    bias_add,                      ///< x, bias -> y; the bias is per channel (axis 1)
    bias_add_grad,                 ///< dy -> dbias
    relu,                          ///< x -> y
    relu_grad,                     ///< y, dy -> dx = y > 0 ? scale dy : 0
    leaky_relu,                    ///< x -> y = x > 0 ? x : slope x
    leaky_relu_grad,               ///< y, dy -> dx = y > 0 ? dy : slope dy
    tanh,                          ///< x -> y
    tanh_grad,                     ///< y, dy -> dx
    sigmoid,                       ///< x -> y
    sigmoid_grad,                  ///< y, dy -> dx
    softmax,                       ///< x -> y over axis 1 of N,F
    softmax_grad,                  ///< y, dy -> dx
    max_pool,                      ///< x -> y, argmax (its form is the back-end's own)
    max_pool_grad,                 ///< dy, argmax -> dx
    average_pool,                  ///< x -> y; padding does not count
    average_pool_grad,             ///< dy -> dx
    reshape,                       ///< x -> y: N,C,H,W as N,(C,H,W)
    reshape_grad,                  ///< dy -> dx, the way back
    random_uniform,                ///< -> u in [0, 1), by (seed, layer, epoch, example, element)
    greater_equal,                 ///< u -> u >= rate, as 0 or 1
    cast,                          ///< 0 or 1 -> 0 or 1 / (1 - rate)
    multiply,                      ///< a, b -> a b, element by element
    fused_dropout,                 ///< x -> y
    fused_dropout_masked,          ///< x -> y, mask of 0 and 1 / (1 - rate)
    batch_norm,            ///< x, gamma, beta, moving mean, moving variance -> y, mean, variance; moves the
                           ///< moving ones
    batch_norm_inference,  ///< x, gamma, beta, moving mean, moving variance -> y
    recompute_batch_norm,  ///< x, gamma, beta, mean, variance -> y: batch_norm's result, or its fused kind's,
                           ///< once more
    batch_norm_grad,       ///< x, dy, gamma, beta, mean, variance -> dx, dgamma, dbeta
    fused_batch_norm,      ///< as batch_norm, with ReLU behind it
    fused_batch_norm_inference,  ///< as batch_norm_inference, with ReLU behind it
    fused_batch_norm_grad,       ///< as batch_norm_grad, with ReLU's gradient before it and, with a seventh
                                 ///< operand, that one added to dx
    // Parts of those above where statistics are of all ranks (strategy/synchronised_batch_norm.hpp).
    batch_norm_moments,      ///< x -> moments: ranks x {mean, variance} x channels, zeros but for this rank
    batch_norm_statistics,   ///< moments, moving mean, moving variance -> mean, variance; moves the moving
                             ///< ones
    batch_norm_apply,        ///< x, gamma, beta, mean, variance -> y, with ReLU if the attributes say so
    batch_norm_grad_sums,    ///< x, dy, gamma, beta, mean, variance -> dgamma, dbeta, {dgamma, dbeta} side by
                             ///< side
    batch_norm_grad_apply,   ///< x, dy, gamma, beta, mean, variance, these sums of all ranks, [addend] -> dx
    add,                     ///< a, b -> a + b
    add_n,                   ///< a, b, ... -> their sum
    concat,                  ///< a, b, ... -> y: side by side along axis 1
    slice,                   ///< x -> y: as many of axis 1 as y has, from the one of its attributes on
    scale,                   ///< x -> factor x
    square,                  ///< x -> x^2, element by element
    sum,                     ///< x -> the sum of its elements
    fused_square_sum,        ///< x -> factor times the sum of its squares
    zeros_like,              ///< -> zeros: the gradient of a share without examples
    softmax_cross_entropy,   ///< logits, labels -> dlogits (of the sum of losses / global batch), metrics
    apply_gradient_descent,  ///< weight, gradient -> in place
    apply_momentum,          ///< weight, gradient, velocity -> in place
    apply_adagrad,           ///< weight, gradient, accumulator -> in place
    apply_adadelta,          ///< weight, gradient, accumulator, accumulated update -> in place
    apply_adam,              ///< weight, gradient, first moment, second moment -> in place
    fused_decay,             ///< gradient, weight -> gradient + factor weight, in place: the penalty's part
    global_norm,             ///< gradients... -> the norm of all of them as one vector
    squared_norm,            ///< gradients... -> message: the sum of the squares of all their elements
    square_root,             ///< message, or any x -> its square root, element by element
    clip_by_global_norm,     ///< gradient, that norm -> in place, scaled so that the norm is within a limit
    clip_by_norm,            ///< gradient -> in place, the same by its own norm
    clip_by_value,           ///< gradient -> in place, each element within the limit
    assign_add,              ///< gradient, gradient of one micro-batch -> in place: their sum
    accumulate,              ///< bucket: adds its gradients to the step's exact sums
    take_sums,               ///< bucket: becomes the step's exact sums, which are set to zero
    pack,                    ///< x -> message, or a part of it: its values in plain order, as float32
    unpack,                  ///< message, or a part of it -> x
    exchange_start,  ///< bucket, or its exact sums: begins an exchange; where not all of a bucket travels, a
                     ///< second operand holds the rest
    exchange_wait,   ///< bucket: ends the exchange that the start of the same name began
    exchange,        ///< bucket: both, with nothing between them
};

/// The name of a kind in tables, for instance "Conv2DBackpropFilter". All exchanges have the name of an
/// all-reduce.
std::string_view operator_name(OperatorKind kind);

/// The kind's own name, for instance "conv2d_backprop_filter". Each kind has a different one, unlike
/// operator_name().
std::string_view kind_name(OperatorKind kind);

/// Whether an operator draws random numbers by example, so that it needs the numbers of the examples.
bool draws_by_example(OperatorKind kind);

/// The thing of a batch that a dataset operator reads: the values of one input, the labels, or the numbers of
/// the examples.
enum class ReadThing : std::uint8_t { values, labels, numbers };

/// Contiguous examples of a batch.
struct ExampleRange {
    std::int64_t first = 0, count = 0;
    bool operator==(const ExampleRange&) const = default;
};

/// The attributes of a dataset operator. An example of a batch is one row of values; an input is a part of
/// this row.
struct DatasetAttributes {
    ReadThing thing = ReadThing::values;
    std::int64_t first = 0;  ///< the place of the input's first value in a row
    std::int64_t row = 0;    ///< the number of values in a row, over all inputs
    /// The examples of the batch that it reads: those of one micro-batch. Absent: all.
    std::optional<ExampleRange> examples = {};
    bool operator==(const DatasetAttributes&) const = default;
};

/// Convolution and pooling windows, rows before columns.
struct WindowAttributes {
    std::array<std::int64_t, 2> size{1, 1};
    std::array<std::int64_t, 2> stride{1, 1};
    std::array<std::int64_t, 2> padding_before{0, 0};
    std::array<std::int64_t, 2> padding_after{0, 0};
    bool relu = false;        ///< fused kinds: ReLU is applied to the result
    std::int64_t groups = 1;  ///< of a convolution: filters read the channels of their group only
    bool operator==(const WindowAttributes&) const = default;
};
struct MatMulAttributes {
    bool relu = false;
    bool operator==(const MatMulAttributes&) const = default;
};
struct ReluGradAttributes {
    double scale = 1.0;  ///< 1 / (1 - rate) if the gradient of a dropout was folded in
    bool operator==(const ReluGradAttributes&) const = default;
};
struct LeakyReluAttributes {
    double slope = 0.0;  ///< from 0 to 1, so that y has the sign of x
    bool operator==(const LeakyReluAttributes&) const = default;
};
struct BatchNormAttributes {
    double momentum = 0.99;  ///< moving = momentum moving + (1 - momentum) of this batch
    double epsilon = 1e-3;
    bool relu = false;  ///< fused kinds: ReLU behind it, or its gradient before the normalisation's
    bool operator==(const BatchNormAttributes&) const = default;
};
/// The attributes of a batch normalisation with statistics over the shares of all ranks.
struct SharedBatchNormAttributes {
    BatchNormAttributes norm;
    std::vector<std::int64_t> counts;  ///< by rank: the number of values of a channel
    std::int64_t rank = 0;             ///< this rank
    /// The number of values of a channel on all ranks.
    [[nodiscard]] double count() const {
        return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
    }
    bool operator==(const SharedBatchNormAttributes&) const = default;
};
/// The attributes of a slice, which cuts the gradient of a concatenation.
struct SliceAttributes {
    std::int64_t first = 0;  ///< along axis 1
    bool operator==(const SliceAttributes&) const = default;
};
struct ScaleAttributes {
    double factor = 1.0;
    bool operator==(const ScaleAttributes&) const = default;
};
struct DropoutAttributes {
    double rate = 0.0;
    std::uint32_t layer = 0;  ///< position in the network: part of the key of its random numbers
    bool operator==(const DropoutAttributes&) const = default;
};
struct UpdateAttributes {
    OptimizerSpec optimizer;
    double decay = 0.0;  ///< this times the weight is added to the gradient first
    bool operator==(const UpdateAttributes&) const = default;
};
struct ClipAttributes {
    double limit = 1.0;
    bool operator==(const ClipAttributes&) const = default;
};
/// The attributes of a copy into a message or out of it.
struct MessageAttributes {
    std::int64_t first = 0;  ///< the element of the message at which the tensor begins
    bool operator==(const MessageAttributes&) const = default;
};
struct ExchangeAttributes {
    Exchange exchange;
    bool exact = false;  ///< the bucket's exact sums travel, see GradientSums
    /// The elements of the bucket that travel. Absent: all. Exact sums and residuals travel as a whole.
    std::optional<ElementRange> range = {};
    bool operator==(const ExchangeAttributes&) const = default;
};

using Attributes = std::variant<std::monostate, DatasetAttributes, WindowAttributes, MatMulAttributes,
                                ReluGradAttributes, BatchNormAttributes, SharedBatchNormAttributes,
                                SliceAttributes, ScaleAttributes, DropoutAttributes, UpdateAttributes,
                                ClipAttributes, MessageAttributes, ExchangeAttributes, LeakyReluAttributes>;

/// The part of a step that an operator belongs to.
enum class Pass : std::uint8_t { input, forward, backward, communication, update };

/// "forward", for instance.
std::string_view pass_name(Pass pass);

/// One operator of a graph or program. It is a value: its inputs, its outputs and its settings.
struct Operator {
    OperatorKind kind{};
    std::string name;  ///< name of its layer, bucket or parameter
    Pass pass = Pass::forward;
    std::vector<TensorId> inputs;
    std::vector<TensorId> outputs;
    Attributes attributes;
    std::vector<OperatorKind> folded;  ///< the operators that a fused operator stands for, in order
    bool of_step_before = false;       ///< an update that completes the step before the one that runs it
    /// The elements, in memory order, on which an operator works that works element by element. Absent: all.
    std::optional<ElementRange> range = {};

    /// The attributes as T. The code that made the operator set them, so another T is a bug.
    template <typename T>
    [[nodiscard]] const T& as() const {
        return std::get<T>(attributes);
    }
    bool operator==(const Operator&) const = default;
};

/// The elements of an operand that the operator works on, see Operator::range.
template <typename T>
std::span<T> worked_on(const Operator& op, std::span<T> operand) {
    return op.range ? operand.subspan(op.range->first, op.range->count) : operand;
}

/// Whether an operator reads this thing of a batch.
bool reads(const Operator& op, ReadThing thing);

/// The name of an operator in tables: for an exchange by its verb, else by its kind.
std::string_view operator_name(const Operator& op);

}  // namespace convoy
