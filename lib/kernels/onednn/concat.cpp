#include <algorithm>

#include "kernels/onednn/planner.hpp"

/// Concatenation along axis 1, and its gradient, which is cut up again: both copy, and compute nothing.
namespace convoy::onednn {
namespace {

using Dims = dnnl::memory::dims;

/// The block in which parts of this many channels each lie one behind the other in memory: that of `format`,
/// where it divides all of them, else 1.
std::int64_t common_block(const Desc& format, const std::vector<std::int64_t>& channels) {
    const auto order = channel_order(format);
    if (!order || format.dims().size() < 4) return 1;
    const bool whole = std::ranges::all_of(channels, [&](auto count) { return count % order->block == 0; });
    return whole ? order->block : 1;
}

/// A tensor of this shape in the format of `format` where its channels stay in blocks of `block`, else in
/// plain order.
Desc in_blocks(const Desc& format, std::int64_t block, const Shape& shape, DataType type) {
    return block > 1 ? retyped(rows_like(format, shape), type) : plain(shape, type);
}

}  // namespace

void plan_concat(Planner& planner, const Operator& op) {
    const auto& program = planner.program();
    const auto type = planner.compute_type();
    std::vector<std::int64_t> channels;
    for (const auto id : op.inputs) channels.push_back(program.tensor(id).shape[1]);
    // Any input's blocks may serve: images from outside come in plain order, results of convolutions do not.
    std::int64_t block = 1;
    Desc format;
    for (const auto id : op.inputs) {
        const auto& desc = planner.layout(id).desc;
        if (program.tensor(id).shape.rank() < 4 || common_block(desc, channels) <= block) continue;
        format = desc;
        block = common_block(desc, channels);
    }
    const auto format_of = [&](TensorId id) {
        return in_blocks(format, block, program.tensor(id).shape, type);
    };
    PrimitiveCall call;
    std::vector<Desc> parts;
    for (const auto id : op.inputs) {
        const auto at = static_cast<int>(parts.size());
        parts.push_back(format_of(id));
        call.arguments.push_back(
            {DNNL_ARG_MULTIPLE_SRC + at, parts.back(), planner.in_format(id, parts.back())});
    }
    const auto y = format_of(op.outputs[0]);
    call.arguments.push_back({DNNL_ARG_DST, y, planner.place(op.outputs[0], y)});
    const dnnl::concat::primitive_desc pd(y, 1, parts, engine(), attributes());
    call.primitive = dnnl::concat(pd);
    call.scratchpad = pd.scratchpad_desc();
    planner.add_call(op, std::move(call));
}

void plan_slice(Planner& planner, const Operator& op) {
    const auto& program = planner.program();
    const auto& whole_shape = program.tensor(op.inputs[0]).shape;
    const auto& part_shape = program.tensor(op.outputs[0]).shape;
    const auto first = op.as<SliceAttributes>().first;
    const auto given = planner.layout(op.inputs[0]).desc;
    const auto type = given.data_type();
    const bool flat = whole_shape.rank() < 4;
    const auto block = flat ? 1 : common_block(given, {first, part_shape[1]});
    const auto whole = in_blocks(given, block, whole_shape, type);
    const auto part = in_blocks(given, block, part_shape, type);
    Dims offsets(part_shape.rank(), 0);
    offsets[1] = first;
    const auto from = whole.submemory_desc(part.dims(), offsets);
    const auto x = planner.in_format(op.inputs[0], whole);
    const dnnl::reorder::primitive_desc pd(engine(), from, engine(), part, attributes());
    planner.add_call(op, {dnnl::reorder(pd),
                          {{DNNL_ARG_FROM, from, x}, {DNNL_ARG_TO, part, planner.place(op.outputs[0], part)}},
                          pd.scratchpad_desc()});
}

}  // namespace convoy::onednn
