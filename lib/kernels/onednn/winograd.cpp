#include "kernels/onednn/winograd.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/own_loops.hpp"
#include "kernels/onednn/winograd_rounds.hpp"

namespace convoy::onednn {
namespace {

using winograd::Geometry;
using Tag = dnnl::memory::format_tag;

Desc in_order(const Shape& shape, Tag tag) {
    return {dnnl::memory::dims(shape.begin(), shape.end()), DataType::f32, tag};
}

}  // namespace

std::optional<winograd::Tile> winograd_tile(const WindowAttributes& window, const Shape& x, const Shape& y) {
    using Pair = std::array<std::int64_t, 2>;
    // With fewer channels, transforms cost more than products save.
    constexpr std::int64_t full_vectors = 16;
    constexpr std::int64_t enough = 32;
    const auto pays = [](std::int64_t channels) {
        return channels >= enough && channels % full_vectors == 0;
    };
    const auto padding = {window.padding_before[0], window.padding_before[1], window.padding_after[0],
                          window.padding_after[1]};
    if (window.groups != 1 || window.size != Pair{3, 3} || window.stride != Pair{1, 1} ||
        std::ranges::max(padding) > 2 || !pays(x[1]) || !pays(y[1]))
        return std::nullopt;
    const bool padded = std::ranges::all_of(padding, [](auto rows) { return rows == 1; });
    if (padded && y[2] == 2 && y[3] == 2) return winograd::Tile::padded_pair;
    constexpr auto tile = winograd::Tile::four_results;
    const auto needed = [](const Shape& map) {
        const auto [down, across] = Geometry{.tile = tile, .result = {map[2], map[3]}}.tiles();
        return static_cast<std::int64_t>(products(tile)) * down * across;
    };
    // The gradient of the input has tiles of x, which without padding has more of them than y.
    const auto direct = 9 * y[2] * y[3];
    return 2 * std::max(needed(x), needed(y)) <= direct ? std::optional(tile) : std::nullopt;
}

std::optional<Geometry> own_winograd(const Planner& planner, const WindowAttributes& window, TensorId x,
                                     TensorId y) {
    if (planner.spec().convolution == ConvolutionAlgorithm::direct || !own_loops_suit(planner))
        return std::nullopt;
    const auto& source = planner.program().tensor(x).shape;
    const auto& result = planner.program().tensor(y).shape;
    const auto tile = winograd_tile(window, source, result);
    if (!tile) return std::nullopt;
    return Geometry{.tile = *tile,
                    .source_channels = source[1],
                    .result_channels = result[1],
                    .source = {source[2], source[3]},
                    .result = {result[2], result[3]},
                    .padding = window.padding_before};
}

Layout winograd_weight_layout(const Shape& weight) {
    return {in_order(weight, Tag::OIhw8i8o), {}};
}

void plan_winograd(Planner& planner, const Operator& op, const Geometry& geometry) {
    const auto& program = planner.program();
    const auto& x = program.tensor(op.inputs[0]).shape;
    const auto& y = program.tensor(op.outputs[0]).shape;
    const auto& kernel = program.tensor(op.inputs[1]).shape;
    const auto source = planner.in_format(op.inputs[0], in_order(x, Tag::nChw8c));
    const auto weight = planner.in_format(op.inputs[1], in_order(kernel, Tag::OIhw8i8o));
    const auto result = planner.place(op.outputs[0], in_order(y, Tag::nChw8c));
    std::vector<StorageId> uses{source, weight, result};
    if (op.inputs.size() > 3) throw InternalError(op.name + ": a convolution of 3x3 kernels has an addend");
    const bool with_bias = op.inputs.size() > 2;
    if (with_bias) uses.push_back(planner.storage(op.inputs[2]));
    add_own_loops(planner, op, winograd::scratch_floats(geometry, x[0]), uses,
                  [=, relu = op.as<WindowAttributes>().relu, x_count = x.elements(), y_count = y.elements(),
                   examples = x[0],
                   count = kernel.elements()](const Addresses& at, std::span<float> scratch) -> Action {
                      winograd::Behind behind{{}, relu};
                      if (with_bias) behind.bias = at.span<const float>(uses[3], geometry.result_channels);
                      const winograd::Convolution convolution{.geometry = geometry,
                                                              .examples = examples,
                                                              .turned = false,
                                                              .source = at.span<const float>(source, x_count),
                                                              .weight = at.span<const float>(weight, count),
                                                              .behind = behind,
                                                              .result = at.span<float>(result, y_count),
                                                              .scratch = scratch};
                      return [convolution](const StepContext&) { convolution.run(); };
                  });
}

void plan_winograd_input_gradient(Planner& planner, const Operator& op, const Geometry& geometry) {
    const auto& program = planner.program();
    const auto& dx = program.tensor(op.outputs[0]).shape;
    const auto& dy = program.tensor(op.inputs[1]).shape;
    const auto& kernel = program.tensor(op.inputs[0]).shape;
    const auto source = planner.in_format(op.inputs[1], in_order(dy, Tag::nChw8c));
    // A vector has eight channels of this convolution's result, which are the kernels' input channels.
    const auto weight = planner.in_format(op.inputs[0], in_order(kernel, Tag::OIhw8o8i));
    const auto result = planner.place(op.outputs[0], in_order(dx, Tag::nChw8c));
    add_own_loops(planner, op, winograd::scratch_floats(winograd::backward(geometry), dx[0]),
                  {source, weight, result},
                  [=, examples = dx[0], x_count = dx.elements(), y_count = dy.elements(),
                   count = kernel.elements()](const Addresses& at, std::span<float> scratch) -> Action {
                      const winograd::Convolution convolution{.geometry = winograd::backward(geometry),
                                                              .examples = examples,
                                                              .turned = true,
                                                              .source = at.span<const float>(source, y_count),
                                                              .weight = at.span<const float>(weight, count),
                                                              .behind = {},
                                                              .result = at.span<float>(result, x_count),
                                                              .scratch = scratch};
                      return [convolution](const StepContext&) { convolution.run(); };
                  });
}

void plan_winograd_filter_gradient(Planner& planner, const Operator& op, const Geometry& geometry) {
    const auto& program = planner.program();
    const auto& x = program.tensor(op.inputs[0]).shape;
    const auto& dy = program.tensor(op.inputs[1]).shape;
    const auto dweight = op.outputs[0];
    const auto desc = in_order(program.tensor(dweight).shape, Tag::OIhw8i8o);
    planner.persistent(dweight);
    const auto dy_desc = in_order(dy, Tag::nChw8c);
    const auto source = planner.in_format(op.inputs[0], in_order(x, Tag::nChw8c));
    const auto results = planner.in_format(op.inputs[1], dy_desc);
    const auto target = planner.gradient_target(dweight, desc);
    std::vector<StorageId> uses{source, results, target};
    const bool with_bias = op.outputs.size() > 1;
    if (with_bias) uses.push_back(planner.persistent(op.outputs[1]));
    add_own_loops(
        planner, op, winograd::scratch_floats(geometry, x[0]), uses,
        [=, examples = x[0], x_count = x.elements(), y_count = dy.elements(),
         count = program.tensor(dweight).shape.elements(),
         order = channel_order(dy_desc).value()](const Addresses& at, std::span<float> scratch) -> Action {
            const winograd::FilterGradient gradient{.geometry = geometry,
                                                    .examples = examples,
                                                    .source = at.span<const float>(source, x_count),
                                                    .result_gradient = at.span<const float>(results, y_count),
                                                    .gradient = at.span<float>(target, count),
                                                    .scratch = scratch};
            const auto bias =
                with_bias ? at.span<float>(uses[3], geometry.result_channels) : std::span<float>();
            return [gradient, order, bias](const StepContext&) {
                gradient.run();
                if (!bias.empty()) loops::bias_gradient(order, gradient.result_gradient, bias);
            };
        });
    planner.deliver_gradient(dweight, desc, target);
}

}  // namespace convoy::onednn
