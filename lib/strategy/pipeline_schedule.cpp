#include "strategy/pipeline_schedule.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "base/error.hpp"

namespace convoy {
namespace {

using Tasks = std::vector<StageTask>;

Tasks fill_drain(std::int64_t micro_batches) {
    Tasks tasks;
    for (const auto work : {StageWork::forward, StageWork::backward})
        for (std::int64_t i = 0; i < micro_batches; ++i) tasks.push_back({work, i});
    return tasks;
}

/// ahead: the forward passes before the first backward pass. late: with weight gradients of their own, the
/// number of micro-batches by which they are behind the backward pass.
Tasks in_turn(std::int64_t ahead, std::int64_t micro_batches, std::optional<std::int64_t> late) {
    Tasks tasks;
    ahead = std::min(ahead, micro_batches);
    for (std::int64_t i = 0; i < ahead; ++i) tasks.push_back({StageWork::forward, i});
    for (std::int64_t i = 0; i < micro_batches; ++i) {
        tasks.push_back({StageWork::backward, i});
        if (late && i >= *late) tasks.push_back({StageWork::weights, i - *late});
        if (i + ahead < micro_batches) tasks.push_back({StageWork::forward, i + ahead});
    }
    if (late)
        for (auto i = std::max<std::int64_t>(micro_batches - *late, 0); i < micro_batches; ++i)
            tasks.push_back({StageWork::weights, i});
    return tasks;
}

}  // namespace

std::optional<std::vector<std::int64_t>> stages_to_end(const StageReaders& readers) {
    constexpr std::int64_t under_way = -1;
    std::vector<std::int64_t> lengths(readers.size(), 0);  // 0: not yet known
    bool circle = false;
    const std::function<std::int64_t(std::size_t)> length_of = [&](std::size_t stage) {
        if (lengths[stage] == under_way) circle = true;
        if (lengths[stage] != 0) return lengths[stage];
        lengths[stage] = under_way;
        std::int64_t behind = 0;
        for (const auto reader : readers[stage])
            behind = std::max(behind, length_of(static_cast<std::size_t>(reader)));
        return lengths[stage] = behind + 1;
    };
    for (std::size_t stage = 0; stage < readers.size(); ++stage) length_of(stage);
    return circle ? std::nullopt : std::optional(lengths);
}

std::vector<std::vector<StageTask>> pipeline_tasks(PipelineSchedule schedule, const StageReaders& readers,
                                                   std::int64_t micro_batches) {
    if (schedule == PipelineSchedule::fill_drain)
        return std::vector<Tasks>(readers.size(), fill_drain(micro_batches));
    const auto lengths = stages_to_end(readers);
    if (!lengths) {
        throw DataError(
            "$.strategy.schedule: the stages need each other in a circle; use \"fill_drain\", or stages that "
            "send their activations one way");
    }
    const auto longest = std::ranges::max(*lengths);
    std::vector<Tasks> tasks;
    for (const auto length : *lengths) {
        const bool apart = schedule == PipelineSchedule::zero_bubble;
        tasks.push_back(
            in_turn(length, micro_batches, apart ? std::optional(longest - length) : std::nullopt));
    }
    return tasks;
}

std::vector<std::int64_t> micro_batch_sizes(std::int64_t examples, std::int64_t micro_batches) {
    const auto count = std::max<std::int64_t>(std::min(examples, micro_batches), 1);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), examples / count);
    for (std::int64_t i = 0; i < examples % count; ++i) ++sizes[static_cast<std::size_t>(i)];
    return sizes;
}

}  // namespace convoy
