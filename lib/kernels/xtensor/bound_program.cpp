#include "kernels/xtensor/bound_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/error.hpp"
#include "kernels/xtensor/families.hpp"
#include "program/inputs.hpp"

namespace convoy::plain {
namespace {

/// Runs one operator: the functions that it stands for, in order.
class FunctionKernel final : public Kernel {
  public:
    explicit FunctionKernel(std::vector<Run> runs) : runs_(std::move(runs)) {}
    void run(const StepContext& context) override {
        for (const auto& run : runs_) run(context);
    }

  private:
    std::vector<Run> runs_;
};

bool computes(const Operator& op) {
    switch (op.kind) {
        case OperatorKind::dataset:
        case OperatorKind::accumulate:
        case OperatorKind::take_sums:
        case OperatorKind::exchange_start:
        case OperatorKind::exchange_wait:
        case OperatorKind::exchange: return false;
        default: return true;
    }
}

}  // namespace

template <typename Scalar>
XtensorProgram<Scalar>::XtensorProgram(const Program& program, Store<Scalar>& store)
    : program_(program), store_(store) {
    place_tensors();
    find_metrics();
    bind_kernels();
}

template <typename Scalar>
void XtensorProgram<Scalar>::place_tensors() {
    const auto touched = touched_tensors(program_);
    const auto integer = integer_tensors(program_);
    memory_.tensors.resize(program_.tensors.size());
    memory_.integer_tensors.resize(program_.tensors.size());
    integer_values_.resize(program_.tensors.size());
    auto free = store_.arena();
    for (std::size_t i = 0; i < program_.tensors.size(); ++i) {
        const auto& info = program_.tensors[i];
        const auto elements = static_cast<std::size_t>(info.shape.elements());
        if (Store<Scalar>::is_shared(info.role)) {
            memory_.tensors[i] = {store_.shared(info.name), info.shape};
        } else if (touched[i] && integer[i]) {
            integer_values_[i].resize(elements);
            memory_.integer_tensors[i] = integer_values_[i];
        } else if (touched[i]) {
            memory_.tensors[i] = {free.first(elements), info.shape};
            free = free.subspan(elements);
        }
    }
}

template <typename Scalar>
void XtensorProgram<Scalar>::find_metrics() {
    for (const auto& op : program_.operators) {
        if (!op.outputs.empty() && program_.tensor(op.outputs.back()).role == TensorRole::metrics)
            metrics_ = op.outputs.back();
    }
}

template <typename Scalar>
void XtensorProgram<Scalar>::bind_kernels() {
    for (const auto& op : program_.operators) {
        auto& bound = kernels_.emplace_back();
        if (!computes(op)) continue;
        bound.push_back({std::string(operator_name(op.kind)), op.name,
                         std::make_unique<FunctionKernel>(bind_operator(op, memory_))});
    }
}

template <typename Scalar>
void XtensorProgram<Scalar>::feed(std::size_t operator_index, const Batch& batch) {
    const auto& dataset = program_.operators.at(operator_index);
    const auto target = dataset.outputs.at(0);
    if (reads(dataset, ReadThing::labels)) {
        std::ranges::copy(labels_for(program_, dataset, batch), memory_.integers(target).begin());
        return;
    }
    const auto values = memory_.tensor(target).values;
    put_input(program_, dataset, batch, [&](std::span<const float> piece, std::size_t first) {
        std::ranges::copy(piece, values.subspan(first).begin());
    });
}

template <typename Scalar>
std::span<float> XtensorProgram<Scalar>::bucket(std::size_t bucket_index) {
    if constexpr (std::is_same_v<Scalar, float>) {
        return memory_.tensor(program_.buckets.at(bucket_index).storage).values;
    } else {
        throw InternalError(fmt::format("bucket {} is not of floats", bucket_index));
    }
}

template <typename Scalar>
StepMetrics XtensorProgram<Scalar>::metrics() const {
    if (!metrics_) return {};
    const auto values = memory_.tensor(*metrics_).values;
    return {.loss_sum = static_cast<double>(values[0]), .correct = static_cast<std::int64_t>(values[1])};
}

template <typename Scalar>
std::optional<double> XtensorProgram<Scalar>::told(TensorRole role) const {
    const auto found = std::ranges::find(program_.tensors, role, &TensorInfo::role);
    if (found == program_.tensors.end()) return std::nullopt;
    const auto values = memory_.tensor(static_cast<TensorId>(found - program_.tensors.begin())).values;
    return values.empty() ? std::nullopt : std::optional(static_cast<double>(values[0]));
}

template <typename Scalar>
std::vector<float> XtensorProgram<Scalar>::read(TensorId id) const {
    const auto values = memory_.tensor(id).values;
    const auto integers = memory_.integers(id);
    if (values.size() + integers.size() != static_cast<std::size_t>(program_.tensor(id).shape.elements())) {
        throw InternalError(fmt::format("tensor {} has no memory in this program", program_.tensor(id).name));
    }
    std::vector<float> plain;
    std::ranges::transform(values, std::back_inserter(plain), [](Scalar v) { return static_cast<float>(v); });
    std::ranges::transform(integers, std::back_inserter(plain), [](auto v) { return static_cast<float>(v); });
    return plain;
}

template class XtensorProgram<float>;
template class XtensorProgram<double>;

}  // namespace convoy::plain
