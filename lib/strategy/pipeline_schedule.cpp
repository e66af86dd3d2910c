#include "strategy/pipeline_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

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

std::int64_t units_of(PipelineSchedule schedule, StageWork work) {
    return work == StageWork::backward && schedule != PipelineSchedule::zero_bubble ? 2 : 1;
}

StageReaders writers_of(const StageReaders& readers) {
    StageReaders writers(readers.size());
    for (std::size_t stage = 0; stage < readers.size(); ++stage)
        for (const auto reader : readers[stage])
            writers[static_cast<std::size_t>(reader)].push_back(static_cast<std::int64_t>(stage));
    return writers;
}

/// Runs the tasks of all stages, each as early as it can.
class PlannedRun {
  public:
    PlannedRun(PipelineSchedule schedule, const StageReaders& readers, std::int64_t micro_batches)
        : schedule_(schedule),
          readers_(readers),
          writers_(writers_of(readers)),
          tasks_(pipeline_tasks(schedule, readers, micro_batches)),
          done_(readers.size()),
          free_(readers.size(), 0) {
        step_.begins.resize(readers.size());
    }

    PlannedStep run() && {
        while (advance()) {
        }
        step_.units = std::ranges::max(free_);
        std::int64_t busy = 0;
        for (const auto& tasks : tasks_)
            for (const auto& task : tasks) busy += units_of(schedule_, task.work);
        step_.idle_share =
            1.0 - static_cast<double>(busy) / static_cast<double>(step_.units * std::ssize(tasks_));
        return std::move(step_);
    }

  private:
    /// The time at which all these stages have done a task. Absent: not yet known.
    [[nodiscard]] std::optional<std::int64_t> done(const std::vector<std::int64_t>& stages,
                                                   const StageTask& task) const {
        std::int64_t last = 0;
        for (const auto stage : stages) {
            const auto& times = done_[static_cast<std::size_t>(stage)];
            const auto found = times.find({task.work, task.micro_batch});
            if (found == times.end()) return std::nullopt;
            last = std::max(last, found->second);
        }
        return last;
    }

    /// Begins the tasks whose time is known. Returns whether there was one.
    bool advance() {
        bool any = false;
        for (std::size_t stage = 0; stage < tasks_.size(); ++stage) {
            for (auto& begins = step_.begins[stage]; begins.size() < tasks_[stage].size(); any = true) {
                const auto& task = tasks_[stage][begins.size()];
                const std::vector<std::int64_t> none;
                const auto& before = task.work == StageWork::forward    ? writers_[stage]
                                     : task.work == StageWork::backward ? readers_[stage]
                                                                        : none;
                const auto ready = done(before, task);
                if (!ready) break;
                begins.push_back(std::max(*ready, free_[stage]));
                free_[stage] = begins.back() + units_of(schedule_, task.work);
                done_[stage][{task.work, task.micro_batch}] = free_[stage];
            }
        }
        return any;
    }

    PipelineSchedule schedule_;
    const StageReaders& readers_;
    StageReaders writers_;
    std::vector<Tasks> tasks_;
    std::vector<std::map<std::pair<StageWork, std::int64_t>, std::int64_t>> done_;  // by stage
    std::vector<std::int64_t> free_;
    PlannedStep step_;
};

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

std::optional<PlannedStep> planned_step(PipelineSchedule schedule, const StageReaders& readers,
                                        std::int64_t micro_batches) {
    if (!stages_to_end(readers)) return std::nullopt;
    return PlannedRun(schedule, readers, micro_batches).run();
}

std::string planned_step_drawing(const PlannedStep& step, PipelineSchedule schedule,
                                 const StageReaders& readers, std::int64_t micro_batches) {
    const auto tasks = pipeline_tasks(schedule, readers, micro_batches);
    const auto width = fmt::formatted_size("{}w", micro_batches);
    std::string text;
    for (std::size_t stage = 0; stage < tasks.size(); ++stage) {
        std::vector<std::string> cells(static_cast<std::size_t>(step.units), ".");
        for (std::size_t i = 0; i < tasks[stage].size(); ++i) {
            const auto& [work, micro_batch] = tasks[stage][i];
            const auto* letter = work == StageWork::forward ? "" : work == StageWork::backward ? "b" : "w";
            for (std::int64_t unit = 0; unit < units_of(schedule, work); ++unit)
                cells[static_cast<std::size_t>(step.begins[stage][i] + unit)] =
                    fmt::format("{}{}", micro_batch + 1, letter);
        }
        text += fmt::format("stage {:<3}", stage + 1);
        for (const auto& cell : cells) text += fmt::format(" {:<{}}", cell, width);
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    }
    return text;
}

std::vector<std::int64_t> micro_batch_sizes(std::int64_t examples, std::int64_t micro_batches) {
    const auto count = std::max<std::int64_t>(std::min(examples, micro_batches), 1);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), examples / count);
    for (std::int64_t i = 0; i < examples % count; ++i) ++sizes[static_cast<std::size_t>(i)];
    return sizes;
}

}  // namespace convoy
