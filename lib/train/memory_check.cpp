#include "train/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <utility>

#include "base/checked.hpp"
#include "base/ranks_text.hpp"
#include "plan/data_need.hpp"
#include "plan/node_classes.hpp"
#include "plan/step_cost.hpp"
#include "report/columns.hpp"
#include "report/render.hpp"

namespace convoy {
namespace {

constexpr std::int64_t float_bytes = 4;

/// The node holds the largest of its copies beside all else: of the parameters whose fingerprint the nodes
/// compare, of a checkpoint, and of the weights that it saves. It reads one tensor at a time for them.
void add_copies(MemoryNeed& need, const ExperimentSpec& spec, const NodePlan& node) {
    Checked compared, checkpoint, saved;
    std::int64_t read = 0;
    for (const auto& parameter : node.parameters) {
        if (!parameter.part) continue;
        const auto bytes =
            Checked(slice_shape(*parameter.part, parameter.value.shape).elements()) * float_bytes;
        if (parameter.start_alike || parameter.saved) read = std::max(read, bytes.value());
        if (parameter.start_alike) compared += bytes;
        if (parameter.saved) saved += bytes;
        const auto tensors = 1 + std::ssize(parameter.slots) + (parameter.residual ? 1 : 0);
        if (spec.checkpoints && parameter.kept) checkpoint += bytes * tensors;
    }
    // The tensor that needs the most is told as a parameter.
    const auto copy = std::max({compared.value(), checkpoint.value(), saved.value()});
    need.add(MemoryPart::copies, (Checked(copy) + read).value(), "");
}

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 6> units{"bytes", "kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000.0 && unit + 1 < units.size(); ++unit) value /= 1000.0;
    return fmt::format("{:.{}f} {}", value, unit == 0 ? 0 : 1, units.at(unit));
}

std::string bytes_text(std::int64_t bytes) {
    return bytes_text(static_cast<std::uint64_t>(bytes));
}

/// How to need less.
std::string remedy(const MemoryNeed& need) {
    switch (need.largest_part()) {
        case MemoryPart::activations:
            return "lower $.batch_size, set $.micro_batch_size, or spread the batch over more hosts";
        case MemoryPart::data:
            return "lower $.dataset.train_examples, or let $.input_pipeline keep less (cache, prepare, "
                   "store)";
        case MemoryPart::parameters:
        case MemoryPart::slots:
        case MemoryPart::gradients:
        case MemoryPart::copies: break;
    }
    return "make this layer smaller, or spread the layers over more hosts ($.strategy.name "
           "\"model_split\", with $.strategy.stages as the number of nodes of a replica)";
}

/// who: "rank 0 needs", for instance. most: the need of the rank that needs the most.
std::string refusal(const std::string& who, std::int64_t bytes, const MemoryRoom& room,
                    const MemoryNeed& most) {
    return fmt::format(
        "does not fit into memory: {} at least {} ({} bytes), and {} leaves {}; {} needs the "
        "most, {}; {}",
        who, bytes_text(bytes), bytes, room.limit, bytes_text(room.bytes), most.largest(),
        bytes_text(most.largest_bytes()), remedy(most));
}

bool exceeds(std::int64_t bytes, const MemoryRoom& room) {
    return std::cmp_greater(bytes, room.bytes);
}

/// Of some ranks, the one that needs the most.
const MemoryNeed& most_of(const std::vector<const MemoryNeed*>& needs) {
    return **std::ranges::max_element(needs, {}, [](const MemoryNeed* need) { return need->total(); });
}

/// The ranks that share a room, and the line if they need more.
std::optional<std::string> does_not_fit_together(const std::vector<const MemoryNeed*>& by_rank,
                                                 const std::vector<std::int64_t>& ranks,
                                                 const MemoryRoom& room) {
    if (ranks.empty()) return std::nullopt;
    Checked sum;
    std::vector<const MemoryNeed*> needs;
    for (const auto rank : ranks) {
        needs.push_back(by_rank[static_cast<std::size_t>(rank)]);
        sum += needs.back()->total();
    }
    if (!exceeds(sum.value(), room)) return std::nullopt;
    const auto who = ranks.size() == 1 ? ranks_text(ranks) + " needs" : ranks_text(ranks) + " together need";
    return refusal(who, sum.value(), room, most_of(needs));
}

}  // namespace

std::vector<const MemoryNeed*> RunNeed::by_rank() const {
    std::map<std::int64_t, const MemoryNeed*> needs;
    for (const auto& alike : classes)
        for (const auto rank : alike.ranks) needs[rank] = &alike.each;
    std::vector<const MemoryNeed*> ordered;
    for (const auto& [rank, need] : needs) ordered.push_back(need);
    return ordered;
}

std::int64_t RunNeed::of_host(const ExperimentSpec& spec, std::int64_t host) const {
    Checked sum;
    for (const auto& alike : classes)
        for (const auto rank : alike.ranks)
            if (spec.host_of(rank) == host) sum += alike.each.total();
    return sum.value();
}

MemoryNeed node_need(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan,
                     const NodePlan& node) {
    const auto& kernels = spec.kernels_of(node.rank);
    auto need = memory_need(node, kernels.name, activation_bytes(kernels));
    const auto& train = plan.data().train;
    add_data(need, spec, shape, node.data,
             {.of_run = train.examples_of(node.rank), .of_batch = train.largest_share(node.rank)});
    add_copies(need, spec, node);
    return need;
}

MemoryNeed evaluation_need(const ExperimentSpec& spec, const EvaluationPrograms& evaluation) {
    NodePlan alone;
    alone.programs = evaluation.programs;
    alone.parameters = evaluation.parameters;
    auto need = memory_need(alone, spec.kernels.name, activation_bytes(spec.kernels));
    // The file of the weights, and its tensors on their way to the kernels.
    need.add(MemoryPart::copies, (Checked(need.of(MemoryPart::parameters)) * 2).value(), "");
    return need;
}

RunNeed run_need(const ExperimentSpec& spec, const DataShape& shape, const Plan& plan) {
    RunNeed need;
    for (const auto& nodes : node_classes(plan)) {
        // Nodes of one class have equal programs, and perhaps other kernels.
        std::map<std::pair<KernelLibrary, std::int64_t>, std::vector<std::int64_t>> alike;
        for (const auto rank : nodes.ranks) {
            const auto& kernels = spec.kernels_of(rank);
            alike[{kernels.name, activation_bytes(kernels)}].push_back(rank);
        }
        for (auto& [kernels, ranks] : alike) {
            const auto each = node_need(spec, shape, plan, plan.of(ranks.front()));
            need.classes.push_back({std::move(ranks), each});
        }
    }
    return need;
}

std::string need_text(const RunNeed& need, const ExperimentSpec& spec) {
    Table table{.name = "memory",
                .title = "Memory that a node needs at least (bytes)",
                .columns = {columns::words("nodes")},
                .rows = {}};
    for (const auto part : all_memory_parts)
        table.columns.push_back(columns::count(std::string(part_name(part))));
    table.columns.push_back(columns::count("all"));
    table.columns.push_back(columns::words("most"));
    for (const auto& alike : need.classes) {
        auto& row = table.rows.emplace_back();
        row.emplace_back(ranks_text(alike.ranks));
        for (const auto part : all_memory_parts) row.emplace_back(alike.each.of(part));
        row.emplace_back(alike.each.total());
        row.emplace_back(fmt::format("{}: {}", alike.each.largest(), alike.each.largest_bytes()));
    }
    auto text = to_text(table);
    for (std::int64_t host = 0; host < spec.host_count(); ++host)
        text += fmt::format("all nodes of host {}: {} bytes\n", host, need.of_host(spec, host));
    return text;
}

HostRoom room_here() {
    return {machine_room(), process_room()};
}

std::optional<std::string> does_not_fit(const RunNeed& need, const ExperimentSpec& spec, const HostRoom& room,
                                        std::int64_t by_hand) {
    const auto by_rank = need.by_rank();
    std::vector<std::int64_t> here;
    std::vector<std::vector<std::int64_t>> of_host(static_cast<std::size_t>(spec.host_count()));
    for (std::int64_t rank = 0; rank < std::ssize(by_rank); ++rank) {
        if (rank < spec.world_size() && rank >= spec.world_size() - by_hand) continue;
        here.push_back(rank);
        of_host[static_cast<std::size_t>(spec.host_of(rank))].push_back(rank);
    }
    for (const auto rank : here)
        if (room.process)
            if (auto line = does_not_fit_together(by_rank, {rank}, *room.process)) return line;
    for (std::int64_t host = 0; spec.cluster && host < spec.host_count(); ++host) {
        constexpr std::uint64_t megabyte = 1'000'000;
        const auto limit = spec.cluster->host(host).memory_mb;
        if (!limit) continue;
        const MemoryRoom of_this{static_cast<std::uint64_t>(*limit) * megabyte,
                                 fmt::format("$.cluster.memory_mb of host {}", host)};
        if (auto line = does_not_fit_together(by_rank, of_host[static_cast<std::size_t>(host)], of_this))
            return line;
    }
    return does_not_fit_together(by_rank, here, room.machine);
}

std::optional<std::string> does_not_fit_apart(const RunNeed& need, const ExperimentSpec& spec,
                                              const HostRoom& room) {
    const auto by_rank = need.by_rank();
    for (const auto& alike : need.classes)
        if (auto line = does_not_fit_together(by_rank, {alike.ranks.front()}, room.machine)) return line;
    constexpr auto unbounded = std::numeric_limits<std::uint64_t>::max();
    return does_not_fit(need, spec, {.machine = {.bytes = unbounded, .limit = ""}, .process = room.process});
}

std::optional<std::string> does_not_fit(const MemoryNeed& need, std::int64_t rank, const HostRoom& room) {
    for (const auto& limit : {room.process, std::optional(room.machine)}) {
        if (limit && exceeds(need.total(), *limit))
            return refusal(ranks_text({rank}) + " needs", need.total(), *limit, need);
    }
    return std::nullopt;
}

}  // namespace convoy
