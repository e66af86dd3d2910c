#include <algorithm>

#include "kernels/onednn/convolution_primitives.hpp"
#include "kernels/onednn/direct_convolution.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/parts.hpp"
#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/selection.hpp"
#include "kernels/onednn/winograd.hpp"

namespace convoy::onednn {
namespace {

/// What source and result of the examples of one call may take: a core's share of a last-level cache.
/// Winograd's transforms are memory-bound beyond it (measured: 1.5 times the time per image).
constexpr std::int64_t cached_bytes = 8 << 20;

/// The same format for another number of examples, which are the outermost axis of every format that can be
/// split.
Desc with_examples(const Desc& desc, std::int64_t examples) {
    if (channel_order(desc)) return rows_like(desc, examples);
    auto dims = desc.dims();
    dims[0] = examples;
    return any_format(plain(dims, desc.data_type()));
}

ConvolutionProblem with_examples(ConvolutionProblem problem, std::int64_t examples) {
    problem.source = with_examples(problem.source, examples);
    problem.result = with_examples(problem.result, examples);
    if (problem.addend) problem.addend = with_examples(*problem.addend, examples);
    return problem;
}

/// As few parts as fit the cache.
std::vector<Part> parts_of(const Planner& planner, const ConvolutionProblem& problem, std::int64_t batch) {
    const auto per_example = [](const Desc& desc) {
        const auto dims = desc.dims();
        const auto bytes = dnnl::memory::data_type_size(desc.data_type());
        return dims[1] * dims[2] * dims[3] * static_cast<std::int64_t>(bytes);
    };
    const auto bytes = per_example(problem.source) + per_example(problem.result);
    return split_batch(batch, cached_bytes / bytes * planner.threads());
}

/// One pass of a convolution over a whole share: a primitive for each part, and the formats of the whole
/// tensors.
template <typename PrimitiveDesc>
struct PassPlan {
    PassFormats whole;
    std::vector<Part> parts;
    std::vector<PrimitiveDesc> primitives;  ///< by part
};

/// Primitives for these parts in the formats found for the first of them; empty where one of them wants other
/// formats.
template <typename PrimitiveDesc, typename Choose>
std::vector<PrimitiveDesc> primitives_in(const Planner& planner, const ConvolutionProblem& problem,
                                         const PassFormats& found, const std::vector<Part>& parts,
                                         const Choose& choose) {
    auto settled = problem;
    settled.source = found.source;
    settled.weight = found.weight;
    settled.result = found.result;
    std::vector<PrimitiveDesc> primitives;
    for (const auto& part : parts) {
        const auto of_part = parts.size() > 1 ? with_examples(settled, part.size) : settled;
        auto pd = choose(planner.spec(), of_part).pd;
        const auto got = formats(pd);
        if (got.source != of_part.source || got.weight != of_part.weight || got.result != of_part.result)
            return {};
        primitives.push_back(std::move(pd));
    }
    return primitives;
}

template <typename PrimitiveDesc, typename Choose>
PassPlan<PrimitiveDesc> plan_pass(const Planner& planner, const ConvolutionProblem& problem,
                                  const Choose& choose) {
    const auto batch = problem.source.dims()[0];
    const auto parts = parts_of(planner, problem, batch);
    if (parts.size() > 1) {
        const auto found = formats(choose(planner.spec(), with_examples(problem, parts.front().size)).pd);
        if (channel_order(found.source) && channel_order(found.result)) {
            auto primitives = primitives_in<PrimitiveDesc>(planner, problem, found, parts, choose);
            const PassFormats whole{rows_like(found.source, batch), found.weight,
                                    rows_like(found.result, batch)};
            if (!primitives.empty()) return {whole, parts, std::move(primitives)};
        }
    }
    auto pd = choose(planner.spec(), problem).pd;
    return {formats(pd), {{0, batch}}, {std::move(pd)}};
}

std::size_t offset_bytes(const Desc& whole, const Part& part) {
    return whole.get_size() / static_cast<std::size_t>(whole.dims()[0]) *
           static_cast<std::size_t>(part.first);
}

/// Adds from's floats to to's.
struct Accumulation {
    StorageId from{}, to{};
    std::int64_t elements = 0;
};

/// A call for each part of the batch, with what is added up behind it.
struct PartCall {
    PrimitiveCall call;
    std::vector<Accumulation> behind;
};

void add_parts(Planner& planner, const Operator& op, std::vector<PartCall> parts) {
    Recipe recipe{std::string(operator_name(op.kind)), op.name, {}, 0, {}};
    for (const auto& part : parts) {
        recipe.scratch_bytes = std::max(recipe.scratch_bytes, part.call.scratchpad.get_size());
        for (const auto& argument : part.call.arguments) recipe.uses.push_back(argument.storage);
        for (const auto& sum : part.behind) recipe.uses.insert(recipe.uses.end(), {sum.from, sum.to});
    }
    recipe.make = [parts = std::move(parts)](const Addresses& addresses) -> Action {
        std::vector<Action> actions;
        for (const auto& part : parts) {
            actions.push_back(part.call.bind(addresses));
            for (const auto& sum : part.behind) {
                const auto from = addresses.span<const float>(sum.from, sum.elements);
                const auto to = addresses.span<float>(sum.to, sum.elements);
                actions.emplace_back([from, to](const StepContext&) { loops::accumulate(from, to); });
            }
        }
        return [actions](const StepContext& context) {
            for (const auto& action : actions) action(context);
        };
    };
    planner.add(std::move(recipe));
}

/// A kernel as oneDNN takes it. Several groups are an axis of their own, whatever first gave the parameter
/// its plain order.
Desc in_groups(const Desc& kernel, std::int64_t groups) {
    const auto dims = kernel.dims();
    if (groups == 1 || dims.size() > 4) return kernel;
    return plain(Shape{groups, dims[0] / groups, dims[1], dims[2], dims[3]}, kernel.data_type());
}

/// The parameter's layout: what the forward pass over a part of the largest share likes best, if it has no
/// padding; the weight's gradient, where the forward pass reads a copy in another type.
Layout convolution_weight_layout(const Planner& planner, ConvolutionProblem problem) {
    const Layout order{plain(problem.weight.dims()), {}};
    if (planner.spec().parameter_layout == ParameterLayout::plain) return order;
    problem.weight = any_format(problem.weight);
    const auto parts = parts_of(planner, problem, std::max<std::int64_t>(planner.program().layout_batch, 1));
    const auto part = with_examples(problem, parts.front().size);
    const bool copied = planner.compute_type() != DataType::f32;
    const auto liked = copied ? formats(choose_backward_weights(planner.spec(), part).pd).weight
                              : formats(choose_forward(planner.spec(), part).pd).weight;
    return Layout{liked, {}}.dense() ? Layout{liked, {}} : order;
}

}  // namespace

void plan_convolution(Planner& planner, const Operator& op) {
    const auto x = op.inputs[0];
    const auto weight = op.inputs[1];
    const auto y = op.outputs[0];
    const auto type = planner.compute_type();
    const auto& window = op.as<WindowAttributes>();
    ConvolutionProblem problem{
        .source = retyped(planner.layout(x).desc, type),
        .weight = in_groups(plain(planner.program().tensor(weight).shape), window.groups),
        .result = any_format(plain(planner.program().tensor(y).shape, type)),
        .bias = {},
        .addend = {},
        .window = window};
    if (op.inputs.size() > 2) {
        problem.bias = plain(planner.program().tensor(op.inputs[2]).shape);
        planner.parameter_layout(op.inputs[2], [&] { return Layout{*problem.bias, {}}; });
    }
    const auto winograd = own_winograd(planner, window, x, y);
    if (!winograd && own_passes(planner, window, x, y).forward) return plan_own_convolution(planner, op);
    const auto& layout = planner.parameter_layout(weight, [&] {
        const bool own = winograd && planner.spec().parameter_layout == ParameterLayout::automatic;
        return own ? winograd_weight_layout(planner.program().tensor(weight).shape)
                   : convolution_weight_layout(planner, problem);
    });
    if (winograd) return plan_winograd(planner, op, *winograd);
    problem.weight = planner.as_operand(in_groups(layout.desc, window.groups));
    if (op.inputs.size() > 3) {
        // The addend must come in the result's format, which is settled without it.
        const auto free = plan_pass<ConvolutionForward>(planner, problem, choose_forward);
        problem.result = free.whole.result;
        problem.addend = free.whole.result;
    }
    const auto plan = plan_pass<ConvolutionForward>(planner, problem, choose_forward);
    planner.convolutions[{weight, planner.program().tensor(x).shape[0]}] = {plan.whole.source,
                                                                            plan.whole.result};
    const auto addend = problem.addend ? planner.in_format(op.inputs[3], plan.whole.result) : StorageId{};

    const auto source = planner.in_format(x, plan.whole.source);
    const auto kernels = planner.in_format(weight, plan.whole.weight);
    const auto result = planner.place(y, plan.whole.result);
    std::vector<PartCall> calls;
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
        const auto& pd = plan.primitives[i];
        PrimitiveCall call{
            dnnl::convolution_forward(pd),
            {{DNNL_ARG_SRC, pd.src_desc(), source, offset_bytes(plan.whole.source, plan.parts[i])},
             {DNNL_ARG_WEIGHTS, pd.weights_desc(), kernels, 0},
             {DNNL_ARG_DST, pd.dst_desc(), result, offset_bytes(plan.whole.result, plan.parts[i])}},
            pd.scratchpad_desc()};
        if (problem.bias)
            call.arguments.push_back({DNNL_ARG_BIAS, *problem.bias, planner.storage(op.inputs[2]), 0});
        if (problem.addend) {
            call.arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, pd.dst_desc(),
                                      addend, offset_bytes(plan.whole.result, plan.parts[i])});
        }
        calls.push_back({std::move(call), {}});
    }
    add_parts(planner, op, std::move(calls));
}

void plan_convolution_input_gradient(Planner& planner, const Operator& op) {
    const auto weight = op.inputs[0];
    const auto dy = op.inputs[1];
    const auto& window = op.as<WindowAttributes>();
    if (const auto winograd = own_winograd(planner, window, op.outputs[0], dy))
        return plan_winograd_input_gradient(planner, op, *winograd);
    const auto& forward = planner.convolutions.at({weight, planner.program().tensor(dy).shape[0]});
    if (own_passes(planner, window, op.outputs[0], dy).input_gradient)
        return plan_own_input_gradient(planner, op, forward.source);
    const ConvolutionProblem problem{
        .source = forward.source,
        .weight = planner.as_operand(in_groups(planner.layout(weight).desc, window.groups)),
        .result = retyped(planner.layout(dy).desc, planner.compute_type()),
        .bias = {},
        .addend = {},
        .window = window};
    const auto plan = plan_pass<ConvolutionBackwardData>(planner, problem, choose_backward_data);
    const auto result = planner.in_format(dy, plan.whole.result);
    const auto kernels = planner.in_format(weight, plan.whole.weight);
    const auto source = planner.place(op.outputs[0], plan.whole.source);
    std::vector<PartCall> calls;
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
        const auto& pd = plan.primitives[i];
        calls.push_back({{dnnl::convolution_backward_data(pd),
                          {{DNNL_ARG_DIFF_SRC, pd.diff_src_desc(), source,
                            offset_bytes(plan.whole.source, plan.parts[i])},
                           {DNNL_ARG_WEIGHTS, pd.weights_desc(), kernels, 0},
                           {DNNL_ARG_DIFF_DST, pd.diff_dst_desc(), result,
                            offset_bytes(plan.whole.result, plan.parts[i])}},
                          pd.scratchpad_desc()},
                         {}});
    }
    add_parts(planner, op, std::move(calls));
}

void plan_convolution_filter_gradient(Planner& planner, const Operator& op) {
    const auto x = op.inputs[0];
    const auto dy = op.inputs[1];
    const auto dweight = op.outputs[0];
    const bool with_bias = op.outputs.size() > 1;
    const auto& window = op.as<WindowAttributes>();
    if (const auto winograd = own_winograd(planner, window, x, dy))
        return plan_winograd_filter_gradient(planner, op, *winograd);
    if (own_passes(planner, window, x, dy).filter_gradient) return plan_own_filter_gradient(planner, op);
    planner.persistent(dweight);
    ConvolutionProblem problem{.source = retyped(planner.layout(x).desc, planner.compute_type()),
                               .weight = in_groups(planner.layout(dweight).desc, window.groups),
                               .result = retyped(planner.layout(dy).desc, planner.compute_type()),
                               .bias = {},
                               .addend = {},
                               .window = window};
    if (with_bias) problem.bias = plain(planner.program().tensor(op.outputs[1]).shape);
    const auto plan = plan_pass<ConvolutionBackwardWeights>(planner, problem, choose_backward_weights);
    const auto source = planner.in_format(x, plan.whole.source);
    const auto result = planner.in_format(dy, plan.whole.result);

    const auto target = planner.gradient_target(dweight, plan.whole.weight);
    const auto target_bias = with_bias ? planner.persistent(op.outputs[1]) : StorageId{};
    const Layout bias_layout{problem.bias.value_or(Desc{}), {}};
    const Layout weight_layout{plan.whole.weight, {}};
    const bool several = plan.parts.size() > 1;
    const auto partial = several ? planner.temporary(weight_layout.bytes()) : target;
    const auto partial_bias = several && with_bias ? planner.temporary(bias_layout.bytes()) : target_bias;

    std::vector<PartCall> calls;
    for (std::size_t i = 0; i < plan.parts.size(); ++i) {
        const auto& pd = plan.primitives[i];
        const bool first = i == 0;
        PartCall part{{dnnl::convolution_backward_weights(pd),
                       {{DNNL_ARG_SRC, pd.src_desc(), source, offset_bytes(plan.whole.source, plan.parts[i])},
                        {DNNL_ARG_DIFF_WEIGHTS, pd.diff_weights_desc(), first ? target : partial, 0},
                        {DNNL_ARG_DIFF_DST, pd.diff_dst_desc(), result,
                         offset_bytes(plan.whole.result, plan.parts[i])}},
                       pd.scratchpad_desc()},
                      {}};
        if (!first) part.behind.push_back({partial, target, weight_layout.stored_elements()});
        if (with_bias) {
            part.call.arguments.push_back(
                {DNNL_ARG_DIFF_BIAS, *problem.bias, first ? target_bias : partial_bias, 0});
            if (!first) part.behind.push_back({partial_bias, target_bias, bias_layout.stored_elements()});
        }
        calls.push_back(std::move(part));
    }
    add_parts(planner, op, std::move(calls));
    planner.deliver_gradient(dweight, plan.whole.weight, target);
}

}  // namespace convoy::onednn
