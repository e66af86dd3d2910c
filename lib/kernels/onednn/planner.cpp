#include "kernels/onednn/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/lack_of_memory.hpp"
#include "kernels/onednn/selection.hpp"

namespace convoy::onednn {
namespace {

using Kind = OperatorKind;

std::string bucket_key(const std::string& name) {
    return "bucket:" + name;
}

Layout flat_layout(std::int64_t elements) {
    return {plain(dnnl::memory::dims{elements}), {}};
}

void plan_operator(Planner& planner, const Operator& op) {
    switch (op.kind) {
        case Kind::conv2d:
        case Kind::fused_conv2d: return plan_convolution(planner, op);
        case Kind::conv2d_backprop_filter:
        case Kind::fused_conv2d_backprop_filter: return plan_convolution_filter_gradient(planner, op);
        case Kind::conv2d_backprop_input: return plan_convolution_input_gradient(planner, op);
        case Kind::matmul:
        case Kind::fused_matmul: return plan_product(planner, op);
        case Kind::matmul_backprop_weight:
        case Kind::fused_matmul_backprop_weight: return plan_product_weight_gradient(planner, op);
        case Kind::matmul_backprop_input: return plan_product_input_gradient(planner, op);
        case Kind::max_pool:
        case Kind::average_pool: return plan_pooling(planner, op);
        case Kind::max_pool_grad:
        case Kind::average_pool_grad: return plan_pooling_gradient(planner, op);
        case Kind::batch_norm:
        case Kind::batch_norm_inference:
        case Kind::recompute_batch_norm:
        case Kind::batch_norm_grad:
        case Kind::fused_batch_norm:
        case Kind::fused_batch_norm_inference:
        case Kind::fused_batch_norm_grad:
        case Kind::batch_norm_moments:
        case Kind::batch_norm_statistics:
        case Kind::batch_norm_apply:
        case Kind::batch_norm_grad_sums:
        case Kind::batch_norm_grad_apply: return plan_batch_norm(planner, op);
        case Kind::random_uniform:
        case Kind::greater_equal:
        case Kind::cast:
        case Kind::fused_dropout:
        case Kind::fused_dropout_masked: return plan_dropout(planner, op);
        case Kind::concat: return plan_concat(planner, op);
        case Kind::slice: return plan_slice(planner, op);
        case Kind::pack: return plan_pack(planner, op);
        case Kind::unpack: return plan_unpack(planner, op);
        case Kind::softmax_cross_entropy: return plan_loss(planner, op);
        case Kind::fused_decay:
        case Kind::global_norm:
        case Kind::squared_norm:
        case Kind::square_root:
        case Kind::clip_by_global_norm:
        case Kind::clip_by_norm:
        case Kind::clip_by_value:
        case Kind::assign_add: return plan_clipping(planner, op);
        case Kind::apply_gradient_descent:
        case Kind::apply_momentum:
        case Kind::apply_adagrad:
        case Kind::apply_adadelta:
        case Kind::apply_adam: return plan_update(planner, op);
        default: return plan_elementwise(planner, op);
    }
}

/// The same; an error for lack of memory, or one of oneDNN, names the operator.
void plan_named(Planner& planner, const Operator& op) {
    const auto name = [&] { return fmt::format("{} of {}", operator_name(op), op.name); };
    try {
        with_memory([&] { plan_operator(planner, op); }, name);
    } catch (const dnnl::error& error) {
        if (error.status == dnnl_out_of_memory)
            throw DataError(name() + ": oneDNN has no memory left for it");
        const auto& program = planner.program();
        const auto shape = op.outputs.empty() ? "" : program.tensor(op.outputs.front()).shape.text();
        throw DataError(
            fmt::format("{}: oneDNN cannot compute a result of {} ({}); use another size, or "
                        "$.kernels.name \"xtensor\"",
                        name(), shape, error.what()));
    }
}

}  // namespace

Planner::Planner(const Program& program, ParameterStore& store, const KernelSpec& spec, int threads)
    : program_(program),
      store_(store),
      spec_(spec),
      threads_(threads),
      read_(program.tensors.size(), false),
      read_plain_(program.tensors.size(), false) {
    for (const auto& op : program.operators)
        for (const auto id : op.inputs) {
            read_.at(convoy::index(id)) = true;
            if (op.kind == Kind::slice || op.kind == Kind::reshape) read_plain_.at(convoy::index(id)) = true;
        }
    for (const auto& parameter : program.parameters) {
        owners_.emplace(parameter.gradient, &parameter);
        for (const auto slot : parameter.slots) owners_.emplace(slot, &parameter);
        if (parameter.residual) owners_.emplace(*parameter.residual, &parameter);
    }
    // The gradient of a micro-batch lies as the sum to which it is added.
    for (const auto& op : program.operators)
        if (op.kind == OperatorKind::assign_add)
            owners_.emplace(op.inputs.at(1), owners_.at(op.inputs.at(0)));
    for (const auto& bucket : program.buckets) claim_bucket(bucket);
}

void Planner::claim_bucket(const Bucket& bucket) {
    const auto key = bucket_key(program_.tensor(bucket.storage).name);
    store_.claim(key, flat_layout(bucket.elements));
    auto* start = store_.data(key);
    layouts_[bucket.storage] = flat_layout(bucket.elements);
    tensor_storage_[bucket.storage] = new_storage({.fixed = start});
    for (std::size_t i = 0; i < bucket.tensors.size(); ++i) {
        const auto& tensor = program_.tensor(bucket.tensors[i]);
        auto* place = start + static_cast<std::size_t>(bucket.offsets[i]) * sizeof(float);
        place_in_bucket_[bucket.tensors[i]] = place;
        // Moving statistics lie in the bucket that averages them, in plain order.
        if (tensor.role == TensorRole::parameter) store_.claim(tensor.name, {plain(tensor.shape), {}}, place);
    }
}

void Planner::plan() {
    for (current_ = 0; current_ < program_.operators.size(); ++current_) {
        const auto& op = program_.operators[current_];
        switch (op.kind) {
            case OperatorKind::dataset:
                for (const auto id : op.outputs) {
                    fed_before_[id] = recipes_.size();
                    const auto type = reads(op, ReadThing::labels) ? DataType::s32 : compute_type();
                    place(id, plain(program_.tensor(id).shape, type));
                }
                break;
            case OperatorKind::accumulate:
            case OperatorKind::take_sums:
            case OperatorKind::exchange_start:
            case OperatorKind::exchange_wait:
            case OperatorKind::exchange: break;
            default: plan_named(*this, op); break;
        }
    }
    // Behind the operators, which have chosen how their parameters lie.
    for (const auto& parameter : program_.parameters)
        if (parameter.residual) persistent(*parameter.residual);
}

Desc Planner::as_operand(const Desc& parameter) const {
    const auto type = compute_type();
    return type == parameter.data_type() ? parameter : any_format(retyped(parameter, type));
}

const Layout& Planner::layout(TensorId id) const {
    const auto found = layouts_.find(id);
    if (found == layouts_.end())
        throw InternalError(fmt::format("{} is read before written", program_.tensor(id).name));
    return found->second;
}

StorageId Planner::storage(TensorId id) const {
    return tensor_storage_.at(id);
}

StorageId Planner::new_storage(Storage storage) {
    storages_.push_back(storage);
    return static_cast<StorageId>(storages_.size() - 1);
}

StorageId Planner::place(TensorId id, const Desc& desc) {
    layouts_[id] = {desc, {}};
    const auto role = program_.tensor(id).role;
    const bool is_told = role == TensorRole::gradient_norm || role == TensorRole::penalty;
    return tensor_storage_[id] =
               new_storage({.bytes = desc.get_size(), .to_the_end = is_told || !is_read(id)});
}

void Planner::alias(TensorId result, TensorId input) {
    const auto& shape = program_.tensor(result).shape;
    const bool unfolds = layout(input).desc.dims().size() < shape.rank();
    layouts_[result] = unfolds ? Layout{plain(shape, layout(input).desc.data_type()), {}} : layout(input);
    tensor_storage_[result] = storage(input);
    if (!is_read(result)) storages_[onednn::index(storage(input))].to_the_end = true;
}

StorageId Planner::temporary(std::size_t bytes) {
    return new_storage({.bytes = bytes});
}

StorageId Planner::in_format(TensorId id, const Desc& wanted) {
    auto have = layout(id).desc;
    if (have == wanted) return storage(id);
    auto target = wanted;
    // A tensor N,F in plain order is N,C,H,W in plain order, and the other way round.
    if (have.dims().size() < wanted.dims().size()) have = plain(wanted.dims(), have.data_type());
    if (have.dims().size() > wanted.dims().size()) target = plain(have.dims(), wanted.data_type());
    if (have == target) return storage(id);
    auto& copies = parameter_copies_[id];
    const auto found = std::ranges::find(copies, target, &std::pair<Desc, StorageId>::first);
    if (found != copies.end()) return found->second;
    const auto copy = temporary(target.get_size());
    add_reorder(program_.tensor(id).name, have, storage(id), target, copy);
    if (program_.tensor(id).role == TensorRole::parameter) copies.emplace_back(target, copy);
    return copy;
}

StorageId Planner::in_plain_rows(TensorId id, DataType type) {
    return in_format(id, plain(program_.tensor(id).shape, type));
}

void Planner::adopt(TensorId id, const std::string& name) {
    layouts_[id] = *store_.layout(name);
    if (!tensor_storage_.contains(id)) tensor_storage_[id] = new_storage({.fixed = store_.data(name)});
}

StorageId Planner::persistent(TensorId id) {
    const auto& name = program_.tensor(id).name;
    const auto owner = owners_.find(id);
    if (owner == owners_.end()) throw InternalError(fmt::format("{} belongs to no parameter", name));
    // A share without examples has no forward pass that would have asked for a format.
    const auto value = owner->second->value;
    const auto& shape = program_.tensor(value).shape;
    const auto of_parameter = parameter_layout(value, [&] { return Layout{plain(shape), {}}; });
    const auto place = place_in_bucket_.find(id);
    store_.claim(name, of_parameter, place == place_in_bucket_.end() ? nullptr : place->second);
    adopt(id, name);
    return storage(id);
}

StorageId Planner::gradient_target(TensorId id, const Desc& produced) {
    const auto own = persistent(id);
    return layout(id).desc == produced ? own : temporary(produced.get_size());
}

void Planner::deliver_gradient(TensorId id, const Desc& produced, StorageId from) {
    if (from == storage(id)) return;
    auto own = layout(id).desc;
    // A kernel without an axis of its groups, in plain order.
    if (own.dims().size() < produced.dims().size()) own = plain(produced.dims(), own.data_type());
    add_reorder(program_.tensor(id).name, produced, from, own, storage(id));
}

void Planner::add_call(const Operator& op, PrimitiveCall call) {
    Recipe recipe{.operator_name = std::string(operator_name(op.kind)),
                  .name = op.name,
                  .uses = {},
                  .scratch_bytes = call.scratchpad.get_size(),
                  .make = {}};
    for (const auto& argument : call.arguments) recipe.uses.push_back(argument.storage);
    recipe.make = [call = std::move(call)](const Addresses& addresses) { return call.bind(addresses); };
    add(std::move(recipe));
}

void Planner::add_reorder(const std::string& name, const Desc& from_desc, StorageId from, const Desc& to_desc,
                          StorageId to) {
    const dnnl::reorder::primitive_desc pd(engine(), from_desc, engine(), to_desc, attributes());
    const PrimitiveCall call{dnnl::reorder(pd),
                             {{DNNL_ARG_FROM, from_desc, from}, {DNNL_ARG_TO, to_desc, to}},
                             pd.scratchpad_desc()};
    add({.operator_name = "_Reorder",
         .name = name,
         .uses = {from, to},
         .scratch_bytes = call.scratchpad.get_size(),
         .make = [call](const Addresses& addresses) { return call.bind(addresses); }});
}

std::size_t Planner::scratch_bytes() const {
    std::size_t most = 0;
    for (const auto& planned : recipes_) most = std::max(most, planned.recipe.scratch_bytes);
    return most;
}

std::vector<Lifetime> Planner::lifetimes() const {
    const auto end = recipes_.size();
    std::vector<Lifetime> lives;
    for (const auto& storage : storages_)
        lives.push_back({storage.fixed == nullptr ? storage.bytes : 0, end, 0});
    for (std::size_t step = 0; step < recipes_.size(); ++step) {
        for (const auto id : recipes_[step].recipe.uses) {
            auto& life = lives[onednn::index(id)];
            life.first = std::min(life.first, step);
            life.last = std::max(life.last, step);
        }
    }
    for (const auto& [id, recipe] : fed_before_) {
        auto& life = lives[onednn::index(storage(id))];
        life.first = std::min(life.first, recipe);
        life.last = std::max(life.last, recipe);
    }
    for (std::size_t i = 0; i < storages_.size(); ++i) {
        if (storages_[i].to_the_end) lives[i].last = end;
        lives[i].first = std::min(lives[i].first, lives[i].last);
    }
    return lives;
}

MemoryPlan Planner::memory() const {
    return plan_memory(lifetimes());
}

Addresses Planner::addresses(const MemoryPlan& plan, std::byte* arena, std::byte* scratch) const {
    std::vector<std::byte*> places;
    for (std::size_t i = 0; i < storages_.size(); ++i) {
        places.push_back(storages_[i].fixed != nullptr ? storages_[i].fixed : arena + plan.offsets[i]);
    }
    return {std::move(places), scratch};
}

}  // namespace convoy::onednn
