#include "program/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <variant>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "program/cost.hpp"
#include "program/program_kind.hpp"

namespace convoy {
namespace {

std::string tensors_text(const Program& program, const std::vector<TensorId>& ids) {
    std::vector<std::string> parts;
    for (const auto id : ids) {
        const auto& tensor = program.tensor(id);
        parts.push_back(fmt::format("{}[{}]", tensor.name, tensor.shape.text()));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string_view kind_name(ProgramKind kind) {
    switch (kind) {
        case ProgramKind::train: return "train";
        case ProgramKind::gradients: return "gradients";
        case ProgramKind::update: return "update";
        case ProgramKind::evaluate: return "evaluate";
        case ProgramKind::average: return "average";
    }
    return {};
}

Program instantiate(const Graph& graph, ProgramKind kind, const Placement& placement) {
    Program program{.kind = kind,
                    .rank = placement.rank,
                    .world_size = placement.world_size,
                    .group = placement.group,
                    .batch = placement.batch,
                    .layout_batch = placement.layout_batch,
                    .tensors = graph.tensors,
                    .operators = graph.operators,
                    .parameters = graph.parameters,
                    .buckets = {}};
    for (auto& tensor : program.tensors) {
        if (!tensor.batched) continue;
        tensor.shape = tensor.shape.with_batch(placement.batch);
        check_size(tensor);
    }
    return program;
}

Program with_batch(const Program& program, std::int64_t batch) {
    auto other = program;
    other.batch = batch;
    for (auto& tensor : other.tensors) {
        if (!tensor.batched) continue;
        tensor.shape = tensor.shape.without_batch().with_batch(batch);
        check_size(tensor);
    }
    return other;
}

std::size_t bucket_position(const Program& program, TensorId storage) {
    const auto found = std::ranges::lower_bound(program.buckets, storage, {}, &Bucket::storage);
    if (found == program.buckets.end() || found->storage != storage)
        throw InternalError(fmt::format("{} is no bucket", program.tensor(storage).name));
    return static_cast<std::size_t>(found - program.buckets.begin());
}

std::set<std::string> kept_tensors(std::span<const Program> programs) {
    std::set<std::string> names;
    for (const auto& program : programs) {
        for (const auto& tensor : program.tensors) {
            if (outlives_binding(tensor.role)) names.insert(tensor.name);
        }
    }
    return names;
}

std::string to_text(const Program& program) {
    // A rank behind those that compute the step together is a server: it has no examples.
    const auto place = program.rank < program.world_size
                           ? fmt::format(" of {}, {} examples", program.world_size, program.batch)
                           : std::string();
    const bool in_group = program.rank < std::ssize(program.group);
    const auto rank =
        in_group ? program.group[static_cast<std::size_t>(program.rank)] : program.rank;  // of the run
    auto text = fmt::format("{} program of rank {}{}\n", kind_name(program.kind), rank, place);
    for (std::size_t i = 0; i < program.operators.size(); ++i) {
        const auto& op = program.operators[i];
        text += fmt::format("{:3}  {} {}: {} -> {}", i, operator_name(op), op.name,
                            tensors_text(program, op.inputs), tensors_text(program, op.outputs));
        if (!op.folded.empty()) {
            std::vector<std::string_view> names;
            for (const auto folded : op.folded) names.push_back(operator_name(folded));
            text += fmt::format("  ({})", fmt::join(names, " + "));
        }
        if (op.range)
            text += fmt::format("  (elements {} to {})", op.range->first, op.range->first + op.range->count);
        if (const auto* data = std::get_if<DatasetAttributes>(&op.attributes); data && data->examples)
            text += fmt::format("  (examples {} to {})", data->examples->first,
                                data->examples->first + data->examples->count);
        if (std::holds_alternative<ExchangeAttributes>(op.attributes))
            text += fmt::format("  ({})", exchange_text(program, op));
        text += '\n';
    }
    for (const auto& bucket : program.buckets) {
        if (bucket.tensors.empty()) continue;  // the result of one operator, which stands above
        std::vector<std::string_view> names;
        for (const auto id : bucket.tensors) names.push_back(program.tensor(id).name);
        text += fmt::format("bucket {}: {} bytes: {}\n", program.tensor(bucket.storage).name,
                            (Checked(bucket.elements) * 4).value(), fmt::join(names, ", "));
    }
    return text;
}

}  // namespace convoy
