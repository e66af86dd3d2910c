#include "continuation.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "checkpoint/other_cut.hpp"
#include "placing.hpp"

namespace convoy {
namespace {

/// Examples of nodes with parts of the data depend on the number of nodes. So another number may begin with
/// an epoch only.
void require_whole_epoch(const CheckedSpec& checked, std::int64_t step) {
    const auto scheme = checked.spec.sharding.scheme;
    if (scheme == ShardingScheme::global_batch) return;
    const auto steps_per_epoch = checked.plan.data().train.steps_per_epoch();
    if (step % steps_per_epoch == 0) return;
    throw DataError(
        fmt::format("$.sharding.scheme: found \"{}\", expected \"global_batch\": the checkpoint is "
                    "of step {}, within an epoch, and of other nodes; go on with the nodes that it was begun "
                    "with, or keep checkpoints every {} steps",
                    scheme_name(scheme), step, steps_per_epoch));
}

}  // namespace

std::vector<std::int64_t> Continuation::resumed_from_steps() const {
    if (!checkpoint) return {};
    auto steps = checkpoint->resumed_from_steps;
    steps.push_back(checkpoint->step());
    return steps;
}

Continuation newest_checkpoint(const CheckpointFolder* folder, const CheckedSpec& checked,
                               const Voice& voice) {
    if (folder == nullptr) return {};
    auto found = folder->newest([&](const std::string& problem) { voice.warn(problem); });
    if (!found) return {};
    const auto& own = folder->identity();
    const auto& before_it = found->identity;
    if (before_it.run_id == own.run_id || before_it.distribution_id == own.distribution_id)
        return {.checkpoint = std::move(found->checkpoint)};
    const auto step = found->checkpoint.step();
    require_whole_epoch(checked, step);
    const auto before = found->checkpoint.nodes.size();
    const auto ranks = checked.plan.ranks();
    auto cut = cut_anew(std::move(found->checkpoint), ranks);
    return {.checkpoint = std::move(cut.checkpoint),
            .last_records = std::move(cut.last_records),
            .warnings = {fmt::format(
                "steps up to {} were taken with other nodes or another strategy: {} ranks, now {}; "
                "their records are of those ranks",
                step, before, ranks)}};
}

PartialMarks marks_of(Continuation& from, const std::filesystem::path& run_folder) {
    PartialMarks marks{
        .marks = {}, .journals = journals_beside(run_folder), .more = std::move(from.last_records)};
    if (from.checkpoint) marks.marks = from.checkpoint->marks;
    return marks;
}

}  // namespace convoy
