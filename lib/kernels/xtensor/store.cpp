#include "kernels/xtensor/store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/lack_of_memory.hpp"

namespace convoy::plain {
namespace {

bool is_shared_role(TensorRole role) {
    return role == TensorRole::parameter || role == TensorRole::slot || role == TensorRole::gradient ||
           role == TensorRole::residual || role == TensorRole::bucket;
}

}  // namespace

std::vector<bool> touched_tensors(const Program& program) {
    std::vector<bool> touched(program.tensors.size(), false);
    for (const auto& op : program.operators) {
        for (const auto id : op.inputs) touched.at(index(id)) = true;
        for (const auto id : op.outputs) touched.at(index(id)) = true;
    }
    return touched;
}

std::vector<bool> integer_tensors(const Program& program) {
    std::vector<bool> integer;
    for (const auto& tensor : program.tensors) integer.push_back(tensor.role == TensorRole::opaque);
    for (const auto& op : program.operators)
        if (reads(op, ReadThing::labels)) integer.at(index(op.outputs.at(0))) = true;
    return integer;
}

std::int64_t arena_elements(const Program& program) {
    const auto touched = touched_tensors(program);
    Checked sum;
    for (std::size_t i = 0; i < program.tensors.size(); ++i) {
        const auto& tensor = program.tensors[i];
        if (touched[i] && !is_shared_role(tensor.role)) sum += tensor.shape.elements();
    }
    return sum.value();
}

template <typename Scalar>
bool Store<Scalar>::is_shared(TensorRole role) {
    return is_shared_role(role);
}

template <typename Scalar>
void Store<Scalar>::reserve(std::span<const Program> programs) {
    std::int64_t largest = 0;
    for (const auto& program : programs) {
        reserve(program);
        largest = std::max(largest, arena_elements(program));
    }
    for (const auto& program : programs) start_slots(program);
    with_memory([&] { arena_.assign(static_cast<std::size_t>(largest), Scalar{0}); },
                [&] { return fmt::format("the activations of {} numbers", largest); });
}

template <typename Scalar>
void Store<Scalar>::reserve(const Program& program) {
    for (const auto& bucket : program.buckets) {
        const auto& storage = program.tensor(bucket.storage).name;
        add(storage, bucket.elements);
        for (std::size_t i = 0; i < bucket.tensors.size(); ++i) {
            const auto& gradient = program.tensor(bucket.tensors[i]);
            place(gradient.name,
                  shared(storage).subspan(static_cast<std::size_t>(bucket.offsets.at(i)),
                                          static_cast<std::size_t>(gradient.shape.elements())));
        }
    }
    for (const auto& tensor : program.tensors) {
        if (is_shared(tensor.role)) add(tensor.name, tensor.shape.elements());
    }
}

template <typename Scalar>
void Store<Scalar>::start_slots(const Program& program) {
    for (const auto& parameter : program.parameters) {
        for (const auto slot : parameter.slots) {
            std::ranges::fill(shared(program.tensor(slot).name), static_cast<Scalar>(parameter.slot_start));
        }
    }
}

template <typename Scalar>
void Store<Scalar>::add(const std::string& name, std::int64_t elements) {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
        with_memory(
            [&] { by_name_[name] = owned_.emplace_back(static_cast<std::size_t>(elements), Scalar{0}); },
            [&] { return fmt::format("{} of {} numbers", name, elements); });
    } else if (found->second.size() != static_cast<std::size_t>(elements)) {
        throw InternalError(fmt::format("tensor {} has {} elements in one program and {} in another", name,
                                        found->second.size(), elements));
    }
}

template <typename Scalar>
void Store<Scalar>::place(const std::string& name, std::span<Scalar> values) {
    const auto [found, is_new] = by_name_.try_emplace(name, values);
    if (!is_new && (found->second.data() != values.data() || found->second.size() != values.size())) {
        throw InternalError(fmt::format("gradient {} has two places in memory", name));
    }
}

template <typename Scalar>
std::span<Scalar> Store<Scalar>::shared(const std::string& name) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) throw InternalError(fmt::format("the back-end holds no tensor {}", name));
    return found->second;
}

template class Store<float>;
template class Store<double>;

}  // namespace convoy::plain
