#include "kernels/onednn/recipe.hpp"

#include <memory>

#include "base/error.hpp"

namespace convoy::onednn {
namespace {

/// The operands of one call in the form that the C interface takes, which the C++ one would build at every
/// execution.
struct BoundCall {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
    dnnl::stream stream;
};

}  // namespace

Action PrimitiveCall::bind(const Addresses& addresses) const {
    auto bound = std::make_shared<BoundCall>(BoundCall{primitive, {}, {}, dnnl::stream(engine())});
    const auto add = [&](int name, const Desc& desc, std::byte* address) {
        bound->memories.emplace_back(desc, engine(), address);
        bound->arguments.push_back({name, bound->memories.back().get()});
    };
    for (const auto& argument : arguments) {
        add(argument.name, argument.desc, addresses.of(argument.storage) + argument.offset_bytes);
    }
    if (scratchpad.get_size() > 0) add(DNNL_ARG_SCRATCHPAD, scratchpad, addresses.scratch());
    return [bound](const StepContext&) {
        const auto status =
            dnnl_primitive_execute(bound->primitive.get(), bound->stream.get(),
                                   static_cast<int>(bound->arguments.size()), bound->arguments.data());
        if (status != dnnl_success) throw InternalError("a oneDNN primitive failed");
    };
}

dnnl::primitive_attr attributes(bool relu, const std::optional<Desc>& addend) {
    dnnl::primitive_attr result;
    result.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    dnnl::post_ops behind;
    if (addend) behind.append_binary(dnnl::algorithm::binary_add, *addend);
    if (relu) behind.append_eltwise(1.0F, dnnl::algorithm::eltwise_relu, 0.0F, 0.0F);
    if (behind.len() > 0) result.set_post_ops(behind);
    return result;
}

const dnnl::engine& engine() {
    static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    return cpu;
}

}  // namespace convoy::onednn
