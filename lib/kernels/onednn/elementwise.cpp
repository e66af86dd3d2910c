#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/planner.hpp"
#include "kernels/onednn/stored.hpp"

namespace convoy::onednn {
namespace {

using Kind = OperatorKind;

/// A recipe that runs a loop of our own over these storages.
void add_loop(Planner& planner, const Operator& op, std::vector<StorageId> uses,
              std::function<Action(const Addresses&)> make) {
    planner.add({std::string(operator_name(op.kind)), op.name, std::move(uses), 0, std::move(make)});
}

/// The same where the loop is written for the type in which a tensor of this layout is stored:
/// make(addresses, T()).
template <typename Make>
void add_typed_loop(Planner& planner, const Operator& op, const Layout& layout, std::vector<StorageId> uses,
                    const Make& make) {
    add_loop(planner, op, std::move(uses),
             [make, type = layout.desc.data_type()](const Addresses& at) -> Action {
                 return with_stored_type(type, [&](auto value) { return make(at, value); });
             });
}

/// alpha: oneDNN's name for the number that some functions have.
void plan_map(Planner& planner, const Operator& op, dnnl::algorithm algorithm, float alpha = 0.0F) {
    const auto& desc = planner.layout(op.inputs[0]).desc;
    const dnnl::eltwise_forward::primitive_desc pd(
        {dnnl::prop_kind::forward_training, algorithm, desc, alpha, 0.0F}, attributes(), engine());
    const auto source = planner.storage(op.inputs[0]);
    planner.add_call(
        op, {dnnl::eltwise_forward(pd),
             {{DNNL_ARG_SRC, desc, source, 0}, {DNNL_ARG_DST, desc, planner.place(op.outputs[0], desc), 0}},
             pd.scratchpad_desc()});
}

/// The gradient of a function that can be told from its result y.
void plan_map_gradient(Planner& planner, const Operator& op, dnnl::algorithm algorithm, float alpha = 0.0F) {
    const auto desc = planner.layout(op.inputs[0]).desc;
    const dnnl::eltwise_forward::primitive_desc hint(
        {dnnl::prop_kind::forward_training, algorithm, desc, alpha, 0.0F}, attributes(), engine());
    const dnnl::eltwise_backward::primitive_desc pd({algorithm, desc, desc, alpha, 0.0F}, attributes(),
                                                    engine(), hint);
    const auto dy = planner.in_format(op.inputs[1], desc);
    planner.add_call(op, {dnnl::eltwise_backward(pd),
                          {{DNNL_ARG_DST, desc, planner.storage(op.inputs[0]), 0},
                           {DNNL_ARG_DIFF_DST, desc, dy, 0},
                           {DNNL_ARG_DIFF_SRC, desc, planner.place(op.outputs[0], desc), 0}},
                          pd.scratchpad_desc()});
}

void plan_relu_gradient(Planner& planner, const Operator& op) {
    const auto layout = planner.layout(op.inputs[0]);
    const auto y = planner.storage(op.inputs[0]);
    const auto dy = planner.in_format(op.inputs[1], layout.desc);
    const auto dx = planner.place(op.outputs[0], layout.desc);
    const auto scale = static_cast<float>(op.as<ReluGradAttributes>().scale);
    add_typed_loop(planner, op, layout, {y, dy, dx},
                   [=, count = layout.stored_elements()]<typename T>(const Addresses& at, T) -> Action {
                       return [=, ys = at.span<const T>(y, count), dys = at.span<const T>(dy, count),
                               dxs = at.span<T>(dx, count)](const StepContext&) {
                           loops::relu_gradient(ys, dys, scale, dxs);
                       };
                   });
}

void plan_multiply(Planner& planner, const Operator& op) {
    const auto layout = planner.layout(op.inputs[0]);
    const auto a = planner.storage(op.inputs[0]);
    const auto b = planner.in_format(op.inputs[1], layout.desc);
    const auto out = planner.place(op.outputs[0], layout.desc);
    add_typed_loop(planner, op, layout, {a, b, out},
                   [=, count = layout.stored_elements()]<typename T>(const Addresses& at, T) -> Action {
                       return [as = at.span<const T>(a, count), bs = at.span<const T>(b, count),
                               outs = at.span<T>(out, count)](const StepContext&) {
                           loops::multiply(as, bs, outs);
                       };
                   });
}

/// Finds a parameter, its gradient, or a slot of it in a program that may not have named it before. Others
/// have their places.
void find_kept(Planner& planner, TensorId id) {
    const auto& tensor = planner.program().tensor(id);
    if (tensor.role == TensorRole::gradient || tensor.role == TensorRole::slot) planner.persistent(id);
    if (tensor.role == TensorRole::parameter)
        planner.parameter_layout(id, [&] { return Layout{plain(tensor.shape), {}}; });
}

void plan_sum(Planner& planner, const Operator& op) {
    for (const auto id : op.inputs) find_kept(planner, id);
    const auto layout = planner.layout(op.inputs[0]);
    std::vector<StorageId> uses;
    for (const auto id : op.inputs) uses.push_back(planner.in_format(id, layout.desc));
    const bool gradient = planner.program().tensor(op.outputs[0]).role == TensorRole::gradient;
    const auto out = gradient ? planner.gradient_target(op.outputs[0], layout.desc)
                              : planner.place(op.outputs[0], layout.desc);
    uses.push_back(out);
    add_typed_loop(planner, op, layout, uses,
                   [uses, count = layout.stored_elements()]<typename T>(const Addresses& at, T) -> Action {
                       std::vector<std::span<const T>> terms;
                       for (std::size_t i = 0; i + 1 < uses.size(); ++i)
                           terms.push_back(at.span<const T>(uses[i], count));
                       return [terms, sum = at.span<T>(uses.back(), count)](const StepContext&) {
                           if (terms.size() == 1) std::copy(terms[0].begin(), terms[0].end(), sum.begin());
                           if (terms.size() > 1) loops::add(terms[0], terms[1], sum);
                           for (std::size_t i = 2; i < terms.size(); ++i) loops::accumulate(terms[i], sum);
                       };
                   });
    if (gradient) planner.deliver_gradient(op.outputs[0], layout.desc, out);
}

/// out = factor in, of parameters, their slots, gradients and penalties: float32. A parameter or a bucket may
/// be scaled in place.
void plan_scale(Planner& planner, const Operator& op) {
    for (const auto id : {op.inputs[0], op.outputs[0]}) find_kept(planner, id);
    const auto layout = planner.layout(op.inputs[0]);
    const auto in = planner.storage(op.inputs[0]);
    const auto role = planner.program().tensor(op.outputs[0]).role;
    const bool kept =
        role == TensorRole::parameter || role == TensorRole::gradient || role == TensorRole::slot;
    const auto out = kept || op.outputs[0] == op.inputs[0] ? planner.storage(op.outputs[0])
                                                           : planner.place(op.outputs[0], layout.desc);
    const auto factor = static_cast<float>(op.as<ScaleAttributes>().factor);
    add_loop(planner, op, {in, out}, [=, count = layout.stored_elements()](const Addresses& at) -> Action {
        return [factor, ins = worked_on(op, at.span<const float>(in, count)),
                outs = worked_on(op, at.span<float>(out, count))](const StepContext&) {
            loops::scale(ins, factor, outs);
        };
    });
}

void plan_square(Planner& planner, const Operator& op) {
    const auto layout = planner.layout(op.inputs[0]);
    const auto in = planner.storage(op.inputs[0]);
    const auto out = planner.place(op.outputs[0], layout.desc);
    add_loop(planner, op, {in, out}, [=, count = layout.stored_elements()](const Addresses& at) -> Action {
        return [ins = at.span<const float>(in, count),
                outs = at.span<float>(out, count)](const StepContext&) { loops::multiply(ins, ins, outs); };
    });
}

/// One number: the sum of all elements, or factor times that of their squares.
void plan_total(Planner& planner, const Operator& op) {
    const auto layout = planner.layout(op.inputs[0]);
    const auto in = planner.storage(op.inputs[0]);
    const auto out = planner.place(op.outputs[0], plain(planner.program().tensor(op.outputs[0]).shape));
    const bool squares = op.kind == Kind::fused_square_sum;
    const double factor = squares ? op.as<ScaleAttributes>().factor : 1.0;
    add_loop(planner, op, {in, out}, [=, count = layout.stored_elements()](const Addresses& at) -> Action {
        return
            [=, ins = at.span<const float>(in, count), total = at.span<float>(out, 1)](const StepContext&) {
                const double sum = squares ? loops::sum_of_squares(ins) : loops::sum(ins);
                total[0] = static_cast<float>(factor * sum);
            };
    });
}

/// The activation in an order that own loops can walk, its storage and that order.
struct Walkable {
    Desc desc;
    StorageId storage;
    ChannelOrder order;
};

Walkable walkable(Planner& planner, TensorId id) {
    auto desc = planner.layout(id).desc;
    if (!channel_order(desc)) desc = plain(desc);
    return {desc, planner.in_format(id, desc), channel_order(desc).value()};
}

void plan_bias_add(Planner& planner, const Operator& op) {
    const auto x = walkable(planner, op.inputs[0]);
    const auto channels = planner.program().tensor(op.inputs[1]).shape;
    planner.parameter_layout(op.inputs[1], [&] { return Layout{plain(channels), {}}; });
    const auto bias = planner.storage(op.inputs[1]);
    const auto y = planner.place(op.outputs[0], x.desc);
    const Layout layout{x.desc, {}};
    add_typed_loop(planner, op, layout, {x.storage, bias, y},
                   [=, count = layout.stored_elements()]<typename T>(const Addresses& at, T) -> Action {
                       return [order = x.order, xs = at.span<const T>(x.storage, count),
                               biases = at.span<const float>(bias, channels.elements()),
                               ys = at.span<T>(y, count)](const StepContext&) {
                           loops::bias_add(order, xs, biases, ys);
                       };
                   });
}

void plan_bias_gradient(Planner& planner, const Operator& op) {
    const auto dy = walkable(planner, op.inputs[0]);
    const auto dbias = planner.persistent(op.outputs[0]);
    const Layout layout{dy.desc, {}};
    const auto channels = planner.program().tensor(op.outputs[0]).shape.elements();
    add_typed_loop(planner, op, layout, {dy.storage, dbias},
                   [=, count = layout.stored_elements()]<typename T>(const Addresses& at, T) -> Action {
                       return [order = dy.order, dys = at.span<const T>(dy.storage, count),
                               sums = at.span<float>(dbias, channels)](const StepContext&) {
                           loops::bias_gradient(order, dys, sums);
                       };
                   });
}

/// Zeros in a gradient, or in a whole bucket.
void plan_zeros(Planner& planner, const Operator& op) {
    find_kept(planner, op.outputs[0]);
    const auto target = planner.storage(op.outputs[0]);
    const auto count = planner.layout(op.outputs[0]).stored_elements();
    add_loop(planner, op, {target}, [=](const Addresses& at) -> Action {
        return
            [zeros = at.span<float>(target, count)](const StepContext&) { std::ranges::fill(zeros, 0.0F); };
    });
}

/// In float32 always: what comes out are probabilities, which need not be near 1.
void plan_softmax(Planner& planner, const Operator& op) {
    const auto desc = plain(planner.program().tensor(op.outputs[0]).shape);
    const dnnl::softmax_forward::primitive_desc pd({dnnl::prop_kind::forward_training, desc, 1}, attributes(),
                                                   engine());
    const auto x = planner.in_plain_rows(op.inputs[0], desc.data_type());
    planner.add_call(
        op, {dnnl::softmax_forward(pd),
             {{DNNL_ARG_SRC, desc, x, 0}, {DNNL_ARG_DST, desc, planner.place(op.outputs[0], desc), 0}},
             pd.scratchpad_desc()});
}

void plan_softmax_gradient(Planner& planner, const Operator& op) {
    const auto desc = plain(planner.program().tensor(op.outputs[0]).shape);
    const dnnl::softmax_forward::primitive_desc hint({dnnl::prop_kind::forward_training, desc, 1},
                                                     attributes(), engine());
    const dnnl::softmax_backward::primitive_desc pd({desc, desc, 1}, attributes(), engine(), hint);
    const auto y = planner.in_plain_rows(op.inputs[0], desc.data_type());
    const auto dy = planner.in_plain_rows(op.inputs[1], desc.data_type());
    planner.add_call(op, {dnnl::softmax_backward(pd),
                          {{DNNL_ARG_DST, desc, y, 0},
                           {DNNL_ARG_DIFF_DST, desc, dy, 0},
                           {DNNL_ARG_DIFF_SRC, desc, planner.place(op.outputs[0], desc), 0}},
                          pd.scratchpad_desc()});
}

float slope_of(const Operator& op) {
    return static_cast<float>(op.as<LeakyReluAttributes>().slope);
}

}  // namespace

void plan_elementwise(Planner& planner, const Operator& op) {
    switch (op.kind) {
        case Kind::relu: return plan_map(planner, op, dnnl::algorithm::eltwise_relu);
        case Kind::leaky_relu: return plan_map(planner, op, dnnl::algorithm::eltwise_relu, slope_of(op));
        case Kind::leaky_relu_grad:
            return plan_map_gradient(planner, op, dnnl::algorithm::eltwise_relu_use_dst_for_bwd,
                                     slope_of(op));
        case Kind::tanh: return plan_map(planner, op, dnnl::algorithm::eltwise_tanh_use_dst_for_bwd);
        case Kind::sigmoid: return plan_map(planner, op, dnnl::algorithm::eltwise_logistic_use_dst_for_bwd);
        case Kind::tanh_grad:
            return plan_map_gradient(planner, op, dnnl::algorithm::eltwise_tanh_use_dst_for_bwd);
        case Kind::sigmoid_grad:
            return plan_map_gradient(planner, op, dnnl::algorithm::eltwise_logistic_use_dst_for_bwd);
        case Kind::relu_grad: return plan_relu_gradient(planner, op);
        case Kind::multiply: return plan_multiply(planner, op);
        case Kind::add:
        case Kind::add_n: return plan_sum(planner, op);
        case Kind::scale: return plan_scale(planner, op);
        case Kind::square: return plan_square(planner, op);
        case Kind::sum:
        case Kind::fused_square_sum: return plan_total(planner, op);
        case Kind::bias_add: return plan_bias_add(planner, op);
        case Kind::bias_add_grad: return plan_bias_gradient(planner, op);
        case Kind::zeros_like: return plan_zeros(planner, op);
        case Kind::softmax: return plan_softmax(planner, op);
        case Kind::softmax_grad: return plan_softmax_gradient(planner, op);
        case Kind::reshape:
        case Kind::reshape_grad: return planner.alias(op.outputs[0], op.inputs[0]);
        default:
            throw InternalError(
                fmt::format("the oneDNN back-end has no kernel for {}", operator_name(op.kind)));
    }
}

}  // namespace convoy::onednn
