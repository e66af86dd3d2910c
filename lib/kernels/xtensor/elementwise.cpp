#include <algorithm>
#include <xtensor/xview.hpp>

#include "kernels/xtensor/families.hpp"
#include "kernels/xtensor/views.hpp"

/// Operators that take elements as they are: one by one, or in another place.
namespace convoy::plain {
namespace {

template <typename Scalar>
void multiply(const Tensor<Scalar>& a, const Tensor<Scalar>& b, const Tensor<Scalar>& product) {
    auto result = flat(product);
    xt::noalias(result) = flat(a) * flat(b);
}

template <typename Scalar>
void add_n(const std::vector<Tensor<Scalar>>& terms, const Tensor<Scalar>& sum) {
    auto result = flat(sum);
    xt::noalias(result) = flat(terms.at(0));
    for (std::size_t i = 1; i < terms.size(); ++i) xt::noalias(result) += flat(terms[i]);
}

template <typename Scalar>
void scale(const Tensor<Scalar>& x, double factor, const Tensor<Scalar>& y) {
    auto result = flat(y);
    xt::noalias(result) = static_cast<Scalar>(factor) * flat(x);
}

/// y = factor times the sum of x, or of its squares
template <typename Scalar>
void sum(const Tensor<Scalar>& x, bool squares, double factor, const Tensor<Scalar>& y) {
    double total = 0.0;
    for (const auto value : x.values) total += squares ? static_cast<double>(value) * value : value;
    y.values[0] = static_cast<Scalar>(factor * total);
}

/// The same values in another shape.
template <typename Scalar>
void reshape(const Tensor<Scalar>& x, const Tensor<Scalar>& y) {
    std::ranges::copy(x.values, y.values.begin());
}

/// The columns [first, first + as many as part has) of a matrix with one row for each example. Axis 1 is the
/// first behind the examples, so that its extents from one to another are columns side by side.
template <typename Scalar>
auto columns(const Tensor<Scalar>& whole, std::size_t first, const Tensor<Scalar>& part) {
    return xt::view(matrix(whole), xt::all(), xt::range(first, first + matrix(part).shape(1)));
}

template <typename Scalar>
void concat(const std::vector<Tensor<Scalar>>& parts, const Tensor<Scalar>& y) {
    std::size_t first = 0;
    for (const auto& part : parts) {
        auto place = columns(y, first, part);
        xt::noalias(place) = matrix(part);
        first += place.shape(1);
    }
}

template <typename Scalar>
void slice(const Tensor<Scalar>& x, std::int64_t first, const Tensor<Scalar>& y) {
    const auto before =
        static_cast<std::size_t>(first) * (matrix(y).shape(1) / static_cast<std::size_t>(y.shape[1]));
    auto result = matrix(y);
    xt::noalias(result) = columns(x, before, y);
}

}  // namespace

template <typename Scalar>
Run bind_elementwise(const Operator& op, const Memory<Scalar>& memory) {
    std::vector<Tensor<Scalar>> inputs;
    for (const auto id : op.inputs) inputs.push_back(memory.tensor(id));
    const auto result = [&] { return memory.tensor(op.outputs.at(0)); };
    switch (op.kind) {
        case OperatorKind::multiply:
            return
                [a = inputs.at(0), b = inputs.at(1), y = result()](const StepContext&) { multiply(a, b, y); };
        case OperatorKind::square:
            return [x = inputs.at(0), y = result()](const StepContext&) { multiply(x, x, y); };
        case OperatorKind::scale:
            return [x = worked_on(op, inputs.at(0)), y = worked_on(op, result()),
                    factor = op.as<ScaleAttributes>().factor](const StepContext&) { scale(x, factor, y); };
        case OperatorKind::pack:
            return [x = inputs.at(0), y = result(), first = op.as<MessageAttributes>().first](
                       const StepContext&) { std::ranges::copy(x.values, y.values.begin() + first); };
        case OperatorKind::unpack:
            return [message = inputs.at(0), y = result(),
                    first = static_cast<std::size_t>(op.as<MessageAttributes>().first)](const StepContext&) {
                std::ranges::copy(message.values.subspan(first, y.values.size()), y.values.begin());
            };
        case OperatorKind::sum:
            return [x = inputs.at(0), y = result()](const StepContext&) { sum(x, false, 1.0, y); };
        case OperatorKind::fused_square_sum:
            return [x = inputs.at(0), y = result(), factor = op.as<ScaleAttributes>().factor](
                       const StepContext&) { sum(x, true, factor, y); };
        case OperatorKind::add:
        case OperatorKind::add_n:
            return [terms = inputs, sum = result()](const StepContext&) { add_n(terms, sum); };
        case OperatorKind::concat:
            return [parts = inputs, y = result()](const StepContext&) { concat(parts, y); };
        case OperatorKind::slice:
            return [x = inputs.at(0), first = op.as<SliceAttributes>().first,
                    y = result()](const StepContext&) { slice(x, first, y); };
        case OperatorKind::reshape:
        case OperatorKind::reshape_grad:
            return [x = inputs.at(0), y = result()](const StepContext&) { reshape(x, y); };
        case OperatorKind::zeros_like: return [y = result()](const StepContext&) { flat(y).fill(Scalar{0}); };
        default: return {};
    }
}

template Run bind_elementwise(const Operator&, const Memory<float>&);
template Run bind_elementwise(const Operator&, const Memory<double>&);

}  // namespace convoy::plain
