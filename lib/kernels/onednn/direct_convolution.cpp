#include "kernels/onednn/direct_convolution.hpp"

#include "base/error.hpp"
#include "kernels/onednn/direct_tiles.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/own_loops.hpp"
#include "kernels/onednn/selection.hpp"

namespace convoy::onednn {
namespace {

/// A format that the loops support: the tensor's own, if they do.
Desc supported(const Desc& desc) {
    return channel_order(desc) ? desc : plain(desc);
}

direct::Maps maps(const Desc& desc) {
    return {channel_order(desc).value(), desc.dims()[2], desc.dims()[3]};
}

std::int64_t stored_elements(const Desc& desc) {
    return Layout{desc, {}}.stored_elements();
}

/// Whether channels leave at most a quarter of their vectors empty.
bool fill_vectors(std::int64_t channels) {
    return 4 * channels >= 3 * direct::rounded_up(channels, direct::tile_columns);
}

}  // namespace

OwnPasses own_passes(const WindowAttributes& window, std::int64_t source_channels,
                     std::int64_t result_channels) {
    // Measured with AVX2 and one thread, kernels of 3x3 and 5x5: fewer products do not make up for the copies
    // of the source and of the kernels.
    constexpr std::int64_t many_products = 1024;
    constexpr std::int64_t many_kernels = 64;
    const auto taps = window.size[0] * window.size[1];
    if (window.groups > 1 || taps == 1) return {};
    const bool odd = source_channels % avx2_block != 0;
    const bool many = source_channels * taps >= many_products;
    return {.forward = odd && many && fill_vectors(result_channels),
            .input_gradient = odd && result_channels >= many_kernels && fill_vectors(source_channels),
            .filter_gradient = (odd || many) && fill_vectors(result_channels)};
}

OwnPasses own_passes(const Planner& planner, const WindowAttributes& window, TensorId x, TensorId y) {
    if (!own_loops_suit(planner)) return {};
    const auto channels = [&](TensorId id) { return planner.program().tensor(id).shape[1]; };
    return own_passes(window, channels(x), channels(y));
}

void plan_own_convolution(Planner& planner, const Operator& op) {
    const auto& program = planner.program();
    const auto& window = op.as<WindowAttributes>();
    const auto x = supported(planner.layout(op.inputs[0]).desc);
    const auto kernels = plain(program.tensor(op.inputs[1]).shape);
    const auto& shape = program.tensor(op.outputs[0]).shape;
    const auto channels = shape[1];
    const Desc y(dnnl::memory::dims(shape.begin(), shape.end()), DataType::f32,
                 dnnl::memory::format_tag::nChw8c);
    planner.parameter_layout(op.inputs[1], [&] { return Layout{kernels, {}}; });
    const auto source = planner.in_format(op.inputs[0], x);
    const auto weight = planner.in_format(op.inputs[1], kernels);
    const auto result = planner.place(op.outputs[0], y);
    planner.convolutions[{op.inputs[1], program.tensor(op.inputs[0]).shape[0]}] = {x, y};
    std::vector<StorageId> uses{source, weight, result};
    if (op.inputs.size() > 3) throw InternalError(op.name + ": own loops have no addend");
    const bool with_bias = op.inputs.size() > 2;
    if (with_bias) uses.push_back(planner.storage(op.inputs[2]));
    const direct::Forward convolution({window, maps(x), maps(y)}, planner.threads());
    add_own_loops(
        planner, op, convolution.scratch_floats(), uses,
        [=, stored = stored_elements(x), of_result = stored_elements(y),
         kernel_count = stored_elements(kernels)](const Addresses& at, std::span<float> scratch) -> Action {
            const direct::Forward::Operands operands{
                .source = at.span<const float>(source, stored),
                .weight = at.span<const float>(weight, kernel_count),
                .bias = with_bias ? at.span<const float>(uses[3], channels) : std::span<const float>(),
                .result = at.span<float>(result, of_result),
                .scratch = scratch};
            return [convolution, operands](const StepContext&) { convolution.run(operands); };
        });
}

void plan_own_input_gradient(Planner& planner, const Operator& op, const Desc& source) {
    const auto wanted = supported(planner.layout(op.inputs[1]).desc);
    const auto kernels = planner.program().tensor(op.inputs[0]).shape;
    const auto weight = planner.in_format(op.inputs[0], plain(kernels));
    const auto result = planner.in_format(op.inputs[1], wanted);
    const auto desc = supported(source);
    const auto target = planner.place(op.outputs[0], desc);
    const direct::InputGradient gradient({op.as<WindowAttributes>(), maps(desc), maps(wanted)},
                                         planner.threads());
    add_own_loops(
        planner, op, gradient.scratch_floats(), {weight, result, target},
        [=, count = kernels.elements(), stored = stored_elements(wanted), of_source = stored_elements(desc)](
            const Addresses& at, std::span<float> scratch) -> Action {
            const direct::InputGradient::Operands operands{
                .weight = at.span<const float>(weight, count),
                .result_gradient = at.span<const float>(result, stored),
                .gradient = at.span<float>(target, of_source),
                .scratch = scratch};
            return [gradient, operands](const StepContext&) { gradient.run(operands); };
        });
}

void plan_own_filter_gradient(Planner& planner, const Operator& op) {
    const auto x = supported(planner.layout(op.inputs[0]).desc);
    const auto dy = supported(planner.layout(op.inputs[1]).desc);
    const auto dweight = op.outputs[0];
    const auto kernels = plain(planner.program().tensor(dweight).shape);
    planner.persistent(dweight);
    const auto source = planner.in_format(op.inputs[0], x);
    const auto result = planner.in_format(op.inputs[1], dy);
    const auto target = planner.gradient_target(dweight, kernels);
    std::vector<StorageId> uses{source, result, target};
    const bool with_bias = op.outputs.size() > 1;
    if (with_bias) uses.push_back(planner.persistent(op.outputs[1]));
    const direct::FilterGradient gradient({op.as<WindowAttributes>(), maps(x), maps(dy)}, planner.threads());
    add_own_loops(
        planner, op, gradient.scratch_floats(), uses,
        [=, order = maps(dy).order, stored = stored_elements(x), of_result = stored_elements(dy),
         count = stored_elements(kernels)](const Addresses& at, std::span<float> scratch) -> Action {
            const direct::FilterGradient::Operands operands{
                .source = at.span<const float>(source, stored),
                .result_gradient = at.span<const float>(result, of_result),
                .gradient = at.span<float>(target, count),
                .scratch = scratch};
            const auto bias = with_bias ? at.span<float>(uses[3], order.channels) : std::span<float>();
            return [gradient, operands, order, bias](const StepContext&) {
                gradient.run(operands);
                if (!bias.empty()) loops::bias_gradient(order, operands.result_gradient, bias);
            };
        });
    planner.deliver_gradient(dweight, kernels, target);
}

}  // namespace convoy::onednn
