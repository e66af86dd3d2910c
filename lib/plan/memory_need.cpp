#include "plan/memory_need.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "graph/operator_cost.hpp"

namespace convoy {
namespace {

constexpr std::int64_t float_bytes = 4, exact_bytes = 8;

/// Whether a tensor has memory within a step only.
bool lives_in_step(TensorRole role) {
    return !outlives_binding(role) && role != TensorRole::gradient && role != TensorRole::bucket;
}

std::int64_t float_bytes_of(const Shape& shape) {
    return (Checked(shape.elements()) * float_bytes).value();
}

/// The time in which a tensor is in use, in positions of operators.
struct Use {
    std::size_t first, last;
    std::int64_t bytes = 0;
};

/// A tensor of a program and the sum of bytes at a moment when most bytes are in use.
struct Peak {
    std::int64_t bytes = 0;
    std::string largest;
    std::int64_t largest_bytes = 0;
};

/// The tensors of one program that live within a step.
class StepTensors {
  public:
    StepTensors(const Program& program, std::int64_t activation_bytes)
        : program_(program), activation_bytes_(activation_bytes), uses_(program.tensors.size()) {
        std::vector<bool> read(program.tensors.size(), false);
        for (std::size_t i = 0; i < program.operators.size(); ++i) {
            const auto& op = program.operators[i];
            if (op.kind == OperatorKind::reshape || op.kind == OperatorKind::reshape_grad)
                owner_[op.outputs.at(0)] = owner_of(op.inputs.at(0));
            for (const auto id : op.inputs) read[index(owner_of(id))] = true;
            for (const auto* ids : {&op.inputs, &op.outputs})
                for (const auto id : *ids) use(id, i, i);
        }
        for (std::size_t id = 0; id < uses_.size(); ++id)
            if (uses_[id] && !read[id]) uses_[id]->last = program.operators.size();
    }

    /// The most bytes that are in use at one time.
    [[nodiscard]] Peak at_once() const {
        std::vector<Checked> change(program_.operators.size() + 2);
        for (const auto& each : uses_) {
            if (!each) continue;
            change[each->first] += each->bytes;
            change[each->last + 1] += -each->bytes;
        }
        Checked now;
        Peak peak;
        std::size_t moment = 0;
        for (std::size_t i = 0; i < change.size(); ++i) {
            now += change[i];
            if (now.value() <= peak.bytes) continue;
            peak.bytes = now.value();
            moment = i;
        }
        for (std::size_t id = 0; id < uses_.size(); ++id)
            if (uses_[id] && uses_[id]->first <= moment && moment <= uses_[id]->last) tell(peak, id);
        return peak;
    }

    /// The bytes of all tensors.
    [[nodiscard]] Peak in_all() const {
        Checked sum;
        Peak peak;
        for (std::size_t id = 0; id < uses_.size(); ++id) {
            if (!uses_[id]) continue;
            sum += uses_[id]->bytes;
            tell(peak, id);
        }
        peak.bytes = sum.value();
        return peak;
    }

  private:
    /// The tensor whose memory a tensor has: a reshaped one has that of its operand.
    [[nodiscard]] TensorId owner_of(TensorId id) const {
        const auto found = owner_.find(id);
        return found == owner_.end() ? id : found->second;
    }
    void use(TensorId id, std::size_t first, std::size_t last) {
        const auto owner = owner_of(id);
        const auto& tensor = program_.tensor(owner);
        if (!lives_in_step(tensor.role)) return;
        auto& known = uses_[index(owner)];
        if (!known) {
            const Checked elements = tensor.shape.elements();
            known = Use{first, last, (elements * element_bytes(tensor, activation_bytes_)).value()};
        }
        known->first = std::min(known->first, first);
        known->last = std::max(known->last, last);
    }
    void tell(Peak& peak, std::size_t id) const {
        if (uses_[id]->bytes <= peak.largest_bytes) return;
        peak.largest_bytes = uses_[id]->bytes;
        peak.largest = program_.tensors[id].name;
    }

    const Program& program_;
    std::int64_t activation_bytes_;
    std::vector<std::optional<Use>> uses_;  // by tensor
    std::map<TensorId, TensorId> owner_;
};

void add_parameters(MemoryNeed& need, const NodePlan& node) {
    for (const auto& parameter : node.parameters) {
        if (!parameter.part) continue;
        const auto bytes = float_bytes_of(slice_shape(*parameter.part, parameter.value.shape));
        need.add(MemoryPart::parameters, bytes, parameter.value.name);
        for (const auto& slot : parameter.slots) need.add(MemoryPart::slots, bytes, slot.name);
    }
}

/// Programs share buckets and gradients of one name.
void add_gradients(MemoryNeed& need, const NodePlan& node) {
    std::set<std::string> known;
    for (const auto& program : node.programs) {
        std::set<TensorId> in_buckets;
        const bool sums = program.kind == ProgramKind::gradients && known.insert("exact sums").second;
        for (const auto& bucket : program.buckets) {
            in_buckets.insert(bucket.tensors.begin(), bucket.tensors.end());
            const auto& name = program.tensor(bucket.storage).name;
            const Checked elements = bucket.elements;
            // A bucket of gradients is told by its parameters, which are as large.
            const auto what = bucket.tensors.empty() ? name : "";
            if (known.insert(name).second)
                need.add(MemoryPart::gradients, (elements * float_bytes).value(), what);
            if (sums) need.add(MemoryPart::gradients, (elements * exact_bytes).value(), what);
        }
        for (const auto& op : program.operators) {
            for (const auto id : op.outputs) {
                const auto& tensor = program.tensor(id);
                if (tensor.role != TensorRole::gradient || in_buckets.contains(id)) continue;
                if (known.insert(tensor.name).second)
                    need.add(MemoryPart::gradients, float_bytes_of(tensor.shape), tensor.name);
            }
        }
    }
}

void add_activations(MemoryNeed& need, const NodePlan& node, KernelLibrary kernels,
                     std::int64_t activation_bytes) {
    Peak most;
    for (const auto& program : node.programs) {
        const StepTensors tensors(program, activation_bytes);
        auto peak = kernels == KernelLibrary::onednn ? tensors.at_once() : tensors.in_all();
        if (peak.bytes > most.bytes) most = std::move(peak);
    }
    if (most.bytes == 0) return;
    need.add(MemoryPart::activations, most.largest_bytes, most.largest);
    need.add(MemoryPart::activations, most.bytes - most.largest_bytes, "");
}

}  // namespace

std::string_view part_name(MemoryPart part) {
    switch (part) {
        case MemoryPart::parameters: return "parameters";
        case MemoryPart::slots: return "slots";
        case MemoryPart::gradients: return "gradients";
        case MemoryPart::activations: return "activations";
        case MemoryPart::data: return "data";
        case MemoryPart::copies: return "copies";
    }
    throw InternalError("a part of memory without a name");
}

void MemoryNeed::add(MemoryPart part, std::int64_t bytes, const std::string& what) {
    auto& sum = bytes_[part];
    sum = (Checked(sum) + bytes).value();
    if (what.empty() || bytes <= largest_bytes_) return;
    largest_ = what;
    largest_bytes_ = bytes;
}

std::int64_t MemoryNeed::of(MemoryPart part) const {
    const auto found = bytes_.find(part);
    return found == bytes_.end() ? 0 : found->second;
}

std::int64_t MemoryNeed::total() const {
    Checked sum;
    for (const auto& [part, bytes] : bytes_) sum += bytes;
    return sum.value();
}

MemoryPart MemoryNeed::largest_part() const {
    if (bytes_.empty()) return MemoryPart::parameters;
    return std::ranges::max_element(bytes_, {}, &std::pair<const MemoryPart, std::int64_t>::second)->first;
}

MemoryNeed memory_need(const NodePlan& node, KernelLibrary kernels, std::int64_t activation_bytes) {
    MemoryNeed need;
    add_parameters(need, node);
    add_gradients(need, node);
    add_activations(need, node, kernels, activation_bytes);
    return need;
}

}  // namespace convoy
