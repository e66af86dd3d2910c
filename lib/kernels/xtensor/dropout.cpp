#include <fmt/format.h>

#include "base/error.hpp"
#include "base/random.hpp"
#include "kernels/xtensor/families.hpp"

/// Dropout in its four steps; the last, x times the mask, is a plain multiplication. All tensors have one
/// shape.
namespace convoy::plain {
namespace {

/// Uniform in [0, 1), a pure function of (seed, layer, epoch, example, element in C,H,W order).
template <typename Scalar>
void random_uniform(const StepContext& context, std::uint32_t layer, const Tensor<Scalar>& u) {
    const RandomStream stream(context.seed, RandomPurpose::dropout, layer, context.epoch);
    const auto examples = static_cast<std::size_t>(u.shape[0]);
    if (context.examples.size() != examples) {
        throw InternalError(fmt::format("dropout knows the numbers of {} examples and needs those of {}",
                                        context.examples.size(), examples));
    }
    for (std::size_t n = 0; n < examples; ++n) {
        const auto elements = u.values.size() / examples;
        for (std::size_t i = 0; i < elements; ++i) {
            u.values[n * elements + i] =
                static_cast<Scalar>(stream.uniform(context.examples[n], static_cast<std::uint32_t>(i)));
        }
    }
}

/// keep: 1 where u >= rate, else 0
template <typename Scalar>
void greater_equal(const Tensor<Scalar>& u, double rate, const Tensor<Scalar>& keep) {
    for (std::size_t i = 0; i < u.values.size(); ++i) {
        keep.values[i] = static_cast<double>(u.values[i]) >= rate ? Scalar{1} : Scalar{0};
    }
}

/// mask: 1 / (1 - rate) where keep is 1, else 0
template <typename Scalar>
void cast(const Tensor<Scalar>& keep, double rate, const Tensor<Scalar>& mask) {
    const auto scale = static_cast<Scalar>(1.0 / (1.0 - rate));
    for (std::size_t i = 0; i < keep.values.size(); ++i) mask.values[i] = keep.values[i] * scale;
}

}  // namespace

template <typename Scalar>
Run bind_dropout(const Operator& op, const Memory<Scalar>& memory) {
    switch (op.kind) {
        case OperatorKind::random_uniform:
            return [layer = op.as<DropoutAttributes>().layer, u = memory.tensor(op.outputs.at(0))](
                       const StepContext& context) { random_uniform(context, layer, u); };
        case OperatorKind::greater_equal:
            return [u = memory.tensor(op.inputs.at(0)), rate = op.as<DropoutAttributes>().rate,
                    keep = memory.tensor(op.outputs.at(0))](const StepContext&) {
                greater_equal(u, rate, keep);
            };
        case OperatorKind::cast:
            return [keep = memory.tensor(op.inputs.at(0)), rate = op.as<DropoutAttributes>().rate,
                    mask = memory.tensor(op.outputs.at(0))](const StepContext&) { cast(keep, rate, mask); };
        default: return {};
    }
}

template Run bind_dropout(const Operator&, const Memory<float>&);
template Run bind_dropout(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
