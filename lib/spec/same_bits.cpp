#include "spec/same_bits.hpp"

#include <fmt/format.h>

namespace convoy {
namespace {

bool nodes_are_alike(const ExperimentSpec& spec) {
    for (std::int64_t rank = 1; rank < spec.world_size(); ++rank) {
        const auto& node = spec.nodes[static_cast<std::size_t>(rank)];
        if (node.threads != spec.nodes.front().threads || spec.kernels_of(rank) != spec.kernels_of(0))
            return false;
    }
    return true;
}

}  // namespace

std::int64_t micro_batches_of_batch(const ExperimentSpec& spec) {
    const auto size = spec.micro_batch_size.value();
    return spec.batch_size / size + (spec.batch_size % size > 0 ? 1 : 0);
}

std::optional<std::string> bits_depend_on_nodes(const ExperimentSpec& spec) {
    if (is_asynchronous(spec.strategy))
        return "with $.strategy.staleness, servers apply gradients in the order in which they arrive";
    if (spec.strategy.algorithm == AllReduceAlgorithm::mpi)
        return "with $.strategy.algorithm \"mpi\", MPI sums floats in an order of its own";
    if (!spec.micro_batch_size)
        return "gradients are summed as float32; $.micro_batch_size sums them exactly";
    if (spec.sharding.scheme != ShardingScheme::global_batch)
        return fmt::format("with $.sharding.scheme \"{}\" the examples of a batch depend on it",
                           scheme_name(spec.sharding.scheme));
    if (spec.schedule.scale_by_nodes) return "$.schedule.scale_by_nodes changes the learning rate with it";
    if (spec.early_stopping.patience)
        return "$.early_stopping.patience compares evaluated losses, which are summed as floating point";
    if (!nodes_are_alike(spec)) return "$.nodes have different threads or kernels";
    return std::nullopt;
}

std::vector<std::string> notes_on_bits(const ExperimentSpec& spec) {
    std::vector<std::string> notes;
    if (is_asynchronous(spec.strategy))
        notes.emplace_back(
            "with $.strategy.staleness, a run does not end with the same bits each time: servers apply "
            "gradients in the order in which they arrive");
    if (spec.strategy.algorithm == AllReduceAlgorithm::mpi)
        notes.emplace_back(
            "with $.strategy.algorithm \"mpi\", convoy does not promise the same bits in each run: MPI sums "
            "gradients in an order of its own");
    if (!spec.micro_batch_size) return notes;
    if (const auto reason = bits_depend_on_nodes(spec)) {
        notes.push_back(
            fmt::format("in spite of $.micro_batch_size, bits depend on the number of nodes: {}", *reason));
    }
    const auto count = micro_batches_of_batch(spec);
    if (count < spec.world_size())
        notes.push_back(
            fmt::format("$.micro_batch_size cuts a batch into {} micro-batch{} for {} nodes: the "
                        "other nodes have no examples",
                        count, count == 1 ? "" : "es", spec.world_size()));
    return notes;
}

}  // namespace convoy
