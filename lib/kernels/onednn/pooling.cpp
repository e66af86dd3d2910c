#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/selection.hpp"

namespace convoy::onednn {
namespace {

using PoolingForward = dnnl::pooling_v2_forward;
using PoolingBackward = dnnl::pooling_v2_backward;
using Dims = dnnl::memory::dims;

dnnl::algorithm algorithm(const Operator& op) {
    const bool max = op.kind == OperatorKind::max_pool || op.kind == OperatorKind::max_pool_grad;
    return max ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
}

PoolingForward::primitive_desc pooling_forward(const Operator& op, dnnl::prop_kind kind, const Desc& source,
                                               const Desc& result) {
    const auto& window = op.as<WindowAttributes>();
    const Dims dense{0, 0};
    return {PoolingForward::desc(kind, algorithm(op), source, result, dims_of(window.stride),
                                 dims_of(window.size), dense, dims_of(window.padding_before),
                                 dims_of(window.padding_after)),
            attributes(), engine()};
}

}  // namespace

void plan_pooling(Planner& planner, const Operator& op) {
    const bool wants_argmax = op.outputs.size() > 1 && planner.is_read(op.outputs[1]);
    const auto kind = wants_argmax ? dnnl::prop_kind::forward_training : dnnl::prop_kind::forward_inference;
    const auto x = op.inputs[0];
    const auto source = planner.layout(x).desc;
    const auto result = any_format(plain(planner.program().tensor(op.outputs[0]).shape, source.data_type()));
    const auto pd = pooling_forward(op, kind, source, result);
    PrimitiveCall call{PoolingForward(pd),
                       {{DNNL_ARG_SRC, pd.src_desc(), planner.storage(x), 0},
                        {DNNL_ARG_DST, pd.dst_desc(), planner.place(op.outputs[0], pd.dst_desc()), 0}},
                       pd.scratchpad_desc()};
    if (wants_argmax) {
        const auto argmax = planner.place(op.outputs[1], pd.workspace_desc());
        call.arguments.push_back({DNNL_ARG_WORKSPACE, pd.workspace_desc(), argmax, 0});
        planner.max_pools.insert_or_assign(op.outputs[1], pd);
    }
    planner.add_call(op, std::move(call));
}

void plan_pooling_gradient(Planner& planner, const Operator& op) {
    const bool max = op.kind == OperatorKind::max_pool_grad;
    const auto dy = op.inputs[0];
    const auto dx = op.outputs[0];
    // An average pooling keeps nothing; its forward primitive is made again in the format of the gradient.
    const auto& given = planner.layout(dy).desc;
    const auto format = channel_order(given) ? given : plain(given);
    const auto hint = max ? planner.max_pools.at(op.inputs[1])
                          : pooling_forward(op, dnnl::prop_kind::forward_training,
                                            rows_like(format, planner.program().tensor(dx).shape), format);
    const auto& window = op.as<WindowAttributes>();
    const Dims dense{0, 0};
    const PoolingBackward::primitive_desc pd(
        PoolingBackward::desc(algorithm(op), hint.src_desc(), hint.dst_desc(), dims_of(window.stride),
                              dims_of(window.size), dense, dims_of(window.padding_before),
                              dims_of(window.padding_after)),
        attributes(), engine(), hint);
    PrimitiveCall call{PoolingBackward(pd),
                       {{DNNL_ARG_DIFF_DST, pd.diff_dst_desc(), planner.in_format(dy, pd.diff_dst_desc()), 0},
                        {DNNL_ARG_DIFF_SRC, pd.diff_src_desc(), planner.place(dx, pd.diff_src_desc()), 0}},
                       pd.scratchpad_desc()};
    if (max) {
        call.arguments.push_back({DNNL_ARG_WORKSPACE, pd.workspace_desc(), planner.storage(op.inputs[1]), 0});
    }
    planner.add_call(op, std::move(call));
}

}  // namespace convoy::onednn
