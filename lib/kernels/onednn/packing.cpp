#include <algorithm>

#include "kernels/onednn/convolution_primitives.hpp"
#include "kernels/onednn/loops.hpp"
#include "kernels/onednn/planner.hpp"

/// Tensors to messages and back. A message has values in plain order as float32, since its reader may have
/// chosen another format.
namespace convoy::onednn {
namespace {

/// A recipe that copies or rounds between a tensor in plain order and a message.
void add_copy(Planner& planner, const Operator& op, StorageId in, StorageId out,
              std::function<Action(const Addresses&)> make) {
    planner.add({std::string(operator_name(op.kind)), op.name, {in, out}, 0, std::move(make)});
}

/// A tensor of `count` values in a message, which may have more.
template <typename T>
std::span<T> in_message(const Addresses& at, StorageId message, std::int64_t first, std::int64_t count) {
    return at.span<T>(message, first + count).subspan(static_cast<std::size_t>(first));
}

/// A tensor in some format, or the place of its values in a message.
struct End {
    Desc desc;
    StorageId storage{};
    std::int64_t first = 0;  ///< of its values, in elements
};

void add_reorder(Planner& planner, const Operator& op, const End& from, const End& to) {
    const auto argument = [](int name, const End& end) {
        return Argument{name, end.desc, end.storage, static_cast<std::size_t>(end.first) * sizeof(float)};
    };
    const dnnl::reorder::primitive_desc pd(engine(), from.desc, engine(), to.desc, attributes());
    planner.add_call(op, {dnnl::reorder(pd),
                          {argument(DNNL_ARG_FROM, from), argument(DNNL_ARG_TO, to)},
                          pd.scratchpad_desc()});
}

}  // namespace

void plan_pack(Planner& planner, const Operator& op) {
    const auto& shape = planner.program().tensor(op.inputs[0]).shape;
    const auto out = planner.storage(op.outputs[0]);
    const auto first = op.as<MessageAttributes>().first;
    const auto order = plain(shape);
    const auto have = planner.layout(op.inputs[0]).desc;
    if (have != order && have.dims().size() == shape.rank())
        return add_reorder(planner, op, {have, planner.storage(op.inputs[0])}, {order, out, first});
    const auto in = planner.in_format(op.inputs[0], order);
    add_copy(planner, op, in, out, [=, count = shape.elements()](const Addresses& at) -> Action {
        return [ins = at.span<const float>(in, count), outs = in_message<float>(at, out, first, count)](
                   const StepContext&) { std::ranges::copy(ins, outs.begin()); };
    });
}

void plan_unpack(Planner& planner, const Operator& op) {
    const auto& shape = planner.program().tensor(op.outputs[0]).shape;
    const auto type = planner.compute_type();
    const auto in = planner.storage(op.inputs[0]);
    const auto first = op.as<MessageAttributes>().first;
    const auto liked =
        planner.is_read_plain(op.outputs[0]) ? plain(shape, type) : activation_format(shape, type);
    const auto out = planner.place(op.outputs[0], liked);
    if (liked != plain(shape, type)) return add_reorder(planner, op, {plain(shape), in, first}, {liked, out});
    const bool rounds = type == DataType::bf16;
    add_copy(planner, op, in, out, [=, count = shape.elements()](const Addresses& at) -> Action {
        const auto ins = in_message<const float>(at, in, first, count);
        if (rounds) {
            return [ins, outs = at.span<Bfloat16>(out, count)](const StepContext&) {
                loops::round_to_bfloat16(ins, outs);
            };
        }
        return [ins, outs = at.span<float>(out, count)](const StepContext&) {
            std::ranges::copy(ins, outs.begin());
        };
    });
}

}  // namespace convoy::onednn
