#include <algorithm>

#include "base/error.hpp"
#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/selection.hpp"

namespace convoy::onednn {
namespace {

using ProductForward = dnnl::inner_product_forward;
using ProductBackwardData = dnnl::inner_product_backward_data;
using ProductBackwardWeights = dnnl::inner_product_backward_weights;

struct ProductProblem {
    Desc rows;    ///< N, in
    Desc weight;  ///< out, in
    Desc result;  ///< N, out
    std::optional<Desc> bias;
    bool relu = false;
};

ProductForward::primitive_desc product_forward(const ProductProblem& p) {
    const auto kind = dnnl::prop_kind::forward_training;
    const auto desc = p.bias ? ProductForward::desc(kind, p.rows, p.weight, *p.bias, p.result)
                             : ProductForward::desc(kind, p.rows, p.weight, p.result);
    return {desc, attributes(p.relu), engine()};
}

/// The forward primitive that a backward one belongs to; it need not have the same weight format.
ProductForward::primitive_desc product_hint(ProductProblem problem) {
    problem.bias.reset();
    problem.relu = false;
    problem.weight = any_format(retyped(problem.weight, problem.rows.data_type()));
    return product_forward(problem);
}

ProductBackwardData::primitive_desc product_backward_data(const ProductProblem& p) {
    return {ProductBackwardData::desc(p.rows, p.weight, p.result), attributes(), engine(), product_hint(p)};
}

ProductBackwardWeights::primitive_desc product_backward_weights(const ProductProblem& p) {
    const auto desc = p.bias ? ProductBackwardWeights::desc(p.rows, p.weight, *p.bias, p.result)
                             : ProductBackwardWeights::desc(p.rows, p.weight, p.result);
    return {desc, attributes(), engine(), product_hint(p)};
}

/// Whether it is oneDNN's matrix product, which in bfloat16 takes memory from the heap at every call.
bool allocates(const ProductProblem& problem, std::string_view implementation) {
    return problem.rows.data_type() != DataType::f32 &&
           implementation.find("gemm:jit") != implementation.npos;
}

/// The fastest implementation: for the weight's own format, else for the one that oneDNN likes.
template <typename Make>
auto choose_product(const ProductProblem& problem, const Make& make) {
    const auto own = fast_implementation([&] { return make(problem); });
    if (own && !allocates(problem, own->impl_info_str())) return *own;
    auto free = problem;
    free.weight = any_format(problem.weight);
    return make(free);
}

/// The order in which x comes as rows. A flattened N,C,H,W stays in its own format when its examples are
/// contiguous; the weights' columns are then kept in that order.
Desc source_format(const Planner& planner, TensorId x) {
    const auto desc = retyped(planner.layout(x).desc, planner.compute_type());
    const bool as_it_is = flat_rows(desc) && planner.spec().parameter_layout == ParameterLayout::automatic;
    return as_it_is ? desc : plain(desc);
}

/// The same for a weight whose columns have their order, perhaps from another program of this back-end.
Desc source_format(const Planner& planner, TensorId x, const Layout& weight) {
    const auto source = source_format(planner, x);
    if (source.dims().size() < 4) return source;
    if (!weight.columns) return plain(source);
    return retyped(rows_like(*weight.columns, source.dims()[0]), source.data_type());
}

/// The parameter's layout for x in this format: what a forward pass over the largest share likes best, if
/// unpadded.
Layout product_weight_layout(const Planner& planner, const Shape& shape, const Desc& source) {
    Layout layout{plain(shape), {}};
    if (planner.spec().parameter_layout == ParameterLayout::plain) return layout;
    if (source.dims().size() == 4 && source != plain(source))
        layout.columns = retyped(rows_like(source, shape[0]), DataType::f32);
    const auto batch = std::max<std::int64_t>(planner.program().layout_batch, 1);
    const auto type = planner.compute_type();
    const ProductProblem problem{.rows = plain(dnnl::memory::dims{batch, shape[1]}, type),
                                 .weight = any_format(plain(shape)),
                                 .result = plain(dnnl::memory::dims{batch, shape[0]}, type),
                                 .bias = {}};
    // A forward pass in another type reads a copy anyway; the gradient is the parameter's own.
    const bool copied = type != DataType::f32;
    const Layout liked{copied ? product_backward_weights(problem).diff_weights_desc()
                              : product_forward(problem).weights_desc(),
                       layout.columns};
    return liked.dense() ? liked : layout;
}

bool is_logits(const Program& program, TensorId id) {
    return std::ranges::any_of(program.operators, [&](const Operator& op) {
        return op.kind == OperatorKind::softmax_cross_entropy && op.inputs[0] == id;
    });
}

}  // namespace

void plan_product(Planner& planner, const Operator& op) {
    const auto x = op.inputs[0];
    const auto weight = op.inputs[1];
    const auto y = op.outputs[0];
    const auto& program = planner.program();
    const auto& layout = planner.parameter_layout(weight, [&] {
        return product_weight_layout(planner, program.tensor(weight).shape, source_format(planner, x));
    });
    const auto source = source_format(planner, x, layout);
    planner.product_sources[{weight, program.tensor(x).shape[0]}] = source;

    // Logits keep all their digits: the loss is computed in float32.
    const auto result_type = is_logits(program, y) ? DataType::f32 : planner.compute_type();
    ProductProblem problem{.rows = flat_rows(source).value(),
                           .weight = planner.as_operand(layout.desc),
                           .result = plain(program.tensor(y).shape, result_type),
                           .bias = {},
                           .relu = op.as<MatMulAttributes>().relu};
    if (op.inputs.size() > 2) {
        problem.bias = plain(program.tensor(op.inputs[2]).shape);
        planner.parameter_layout(op.inputs[2], [&] { return Layout{*problem.bias, {}}; });
    }
    const auto pd = choose_product(problem, product_forward);
    const auto rows = planner.in_format(x, source);
    const auto columns = planner.in_format(weight, pd.weights_desc());
    PrimitiveCall call{ProductForward(pd),
                       {{DNNL_ARG_SRC, problem.rows, rows, 0},
                        {DNNL_ARG_WEIGHTS, pd.weights_desc(), columns, 0},
                        {DNNL_ARG_DST, problem.result, planner.place(y, problem.result), 0}},
                       pd.scratchpad_desc()};
    if (problem.bias)
        call.arguments.push_back({DNNL_ARG_BIAS, *problem.bias, planner.storage(op.inputs[2]), 0});
    planner.add_call(op, std::move(call));
}

void plan_product_weight_gradient(Planner& planner, const Operator& op) {
    const auto dweight = op.outputs[0];
    planner.persistent(dweight);
    const auto& layout = planner.layout(dweight);
    const auto x = op.inputs[0];
    const auto source = source_format(planner, x, layout);
    ProductProblem problem{
        .rows = flat_rows(source).value(),
        .weight = layout.desc,
        .result = plain(planner.program().tensor(op.inputs[1]).shape, planner.compute_type()),
        .bias = {}};
    if (op.outputs.size() > 1) problem.bias = plain(planner.program().tensor(op.outputs[1]).shape);
    const auto pd = choose_product(problem, product_backward_weights);
    const auto rows = planner.in_format(x, source);
    const auto result = planner.in_plain_rows(op.inputs[1], planner.compute_type());
    const auto target = planner.gradient_target(dweight, pd.diff_weights_desc());
    PrimitiveCall call{ProductBackwardWeights(pd),
                       {{DNNL_ARG_SRC, problem.rows, rows, 0},
                        {DNNL_ARG_DIFF_WEIGHTS, pd.diff_weights_desc(), target, 0},
                        {DNNL_ARG_DIFF_DST, problem.result, result, 0}},
                       pd.scratchpad_desc()};
    if (problem.bias) {
        call.arguments.push_back({DNNL_ARG_DIFF_BIAS, *problem.bias, planner.persistent(op.outputs[1]), 0});
    }
    planner.add_call(op, std::move(call));
    planner.deliver_gradient(dweight, pd.diff_weights_desc(), target);
}

void plan_product_input_gradient(Planner& planner, const Operator& op) {
    const auto weight = op.inputs[0];
    const auto examples = planner.program().tensor(op.outputs[0]).shape[0];
    const auto& source = planner.product_sources.at({weight, examples});
    const ProductProblem problem{
        .rows = flat_rows(source).value(),
        .weight = planner.as_operand(planner.layout(weight).desc),
        .result = plain(planner.program().tensor(op.inputs[1]).shape, planner.compute_type()),
        .bias = {}};
    const auto pd = choose_product(problem, product_backward_data);
    const auto columns = planner.in_format(weight, pd.weights_desc());
    const auto result = planner.in_plain_rows(op.inputs[1], planner.compute_type());
    planner.add_call(op, {ProductBackwardData(pd),
                          {{DNNL_ARG_DIFF_SRC, problem.rows, planner.place(op.outputs[0], source), 0},
                           {DNNL_ARG_WEIGHTS, pd.weights_desc(), columns, 0},
                           {DNNL_ARG_DIFF_DST, problem.result, result, 0}},
                          pd.scratchpad_desc()});
}

}  // namespace convoy::onednn
