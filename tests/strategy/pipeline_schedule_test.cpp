#include "strategy/pipeline_schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <tuple>

#include "base/error.hpp"

using namespace convoy;

namespace {

using Tasks = std::vector<StageTask>;

constexpr auto F = StageWork::forward, B = StageWork::backward, W = StageWork::weights;

/// Each stage sends its activations to the next.
StageReaders chain(std::int64_t stages) {
    StageReaders readers(static_cast<std::size_t>(stages));
    for (std::int64_t stage = 0; stage + 1 < stages; ++stage)
        readers[static_cast<std::size_t>(stage)] = {stage + 1};
    return readers;
}

/// When each task begins if stages work in the order of their tasks as early as they can. seconds: of a task.
struct Replay {
    std::map<std::tuple<std::size_t, StageWork, std::int64_t>, std::int64_t> begins;
    std::int64_t end = 0;
    bool complete = true;
};

Replay replay(const std::vector<Tasks>& tasks, const std::map<StageWork, std::int64_t>& lengths) {
    Replay result;
    const auto stages = tasks.size();
    std::vector<std::size_t> next(stages, 0);
    std::vector<std::int64_t> free(stages, 0);
    const auto done = [&](std::size_t stage, StageWork work, std::int64_t micro_batch) {
        const auto found = result.begins.find({stage, work, micro_batch});
        return found == result.begins.end() ? -1 : found->second + lengths.at(work);
    };
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t stage = 0; stage < stages; ++stage) {
            for (; next[stage] < tasks[stage].size(); ++next[stage]) {
                const auto& [work, i] = tasks[stage][next[stage]];
                std::int64_t ready = 0;
                if (work == F && stage > 0) ready = done(stage - 1, F, i);
                if (work == B) ready = stage + 1 < stages ? done(stage + 1, B, i) : done(stage, F, i);
                if (work == W) ready = done(stage, B, i);
                if (ready < 0) break;
                const auto begin = std::max(ready, free[stage]);
                result.begins[{stage, work, i}] = begin;
                free[stage] = begin + lengths.at(work);
                moved = true;
            }
        }
    }
    result.end = std::ranges::max(free);
    for (std::size_t stage = 0; stage < stages; ++stage)
        result.complete = result.complete && next[stage] == tasks[stage].size();
    return result;
}

const std::map<StageWork, std::int64_t> joined_gradients{{F, 1}, {B, 2}, {W, 0}},
    unit{{F, 1}, {B, 1}, {W, 1}};

}  // namespace

TEST_CASE("fill_drain does all forward passes first") {
    const auto tasks = pipeline_tasks(PipelineSchedule::fill_drain, chain(2), 2);
    const Tasks expected{{F, 0}, {F, 1}, {B, 0}, {B, 1}};
    CHECK(tasks == std::vector<Tasks>{expected, expected});
}

TEST_CASE("1F1B begins with as many forward passes as stages follow") {
    const auto tasks = pipeline_tasks(PipelineSchedule::one_forward_one_backward, chain(3), 4);
    CHECK(tasks[0] == Tasks{{F, 0}, {F, 1}, {F, 2}, {B, 0}, {F, 3}, {B, 1}, {B, 2}, {B, 3}});
    CHECK(tasks[1] == Tasks{{F, 0}, {F, 1}, {B, 0}, {F, 2}, {B, 1}, {F, 3}, {B, 2}, {B, 3}});
    CHECK(tasks[2] == Tasks{{F, 0}, {B, 0}, {F, 1}, {B, 1}, {F, 2}, {B, 2}, {F, 3}, {B, 3}});
}

TEST_CASE("every schedule does each task once, in ascending order, and ends") {
    const auto schedule = GENERATE(PipelineSchedule::fill_drain, PipelineSchedule::one_forward_one_backward,
                                   PipelineSchedule::zero_bubble);
    const bool apart = schedule == PipelineSchedule::zero_bubble;
    for (std::int64_t stages = 1; stages <= 5; ++stages) {
        for (std::int64_t count = 1; count <= 12; ++count) {
            const auto tasks = pipeline_tasks(schedule, chain(stages), count);
            REQUIRE(std::ssize(tasks) == stages);
            for (const auto& own : tasks) {
                for (const auto work : {F, B, W}) {
                    Tasks found, expected;
                    std::ranges::copy_if(own, std::back_inserter(found),
                                         [&](const StageTask& task) { return task.work == work; });
                    for (std::int64_t i = 0; i < count && (work != W || apart); ++i)
                        expected.push_back({work, i});
                    CHECK(found == expected);
                }
            }
            CHECK(replay(tasks, apart ? unit : joined_gradients).complete);
        }
    }
}

TEST_CASE("1F1B and zero_bubble keep few micro-batches alive") {
    const auto schedule = GENERATE(PipelineSchedule::one_forward_one_backward, PipelineSchedule::zero_bubble);
    const bool apart = schedule == PipelineSchedule::zero_bubble;
    for (std::int64_t stages = 1; stages <= 5; ++stages) {
        for (std::int64_t count = 1; count <= 12; ++count) {
            const auto tasks = pipeline_tasks(schedule, chain(stages), count);
            for (std::int64_t stage = 0; stage < stages; ++stage) {
                std::int64_t alive = 0, most = 0;
                for (const auto& task : tasks[static_cast<std::size_t>(stage)]) {
                    if (task.work == F) most = std::max(most, ++alive);
                    if (task.work == (apart ? W : B)) --alive;
                }
                CHECK(most <= (apart ? stages : stages - stage));
            }
        }
    }
}

TEST_CASE("zero_bubble never delays an input gradient behind a weight gradient") {
    for (std::int64_t stages = 2; stages <= 5; ++stages) {
        for (std::int64_t count = 1; count <= 12; ++count) {
            const auto tasks = pipeline_tasks(PipelineSchedule::zero_bubble, chain(stages), count);
            const auto times = replay(tasks, unit);
            for (std::size_t stage = 0; stage < tasks.size(); ++stage) {
                std::int64_t backward = 0;  // of the tasks so far
                for (const auto& [work, i] : tasks[stage]) {
                    if (work == B) ++backward;
                    if (work != W || backward == count) continue;
                    // The next input gradient cannot begin when these weight gradients begin.
                    const auto begin = times.begins.at({stage, W, i});
                    const bool last = stage + 1 == tasks.size();
                    const auto of =
                        last ? std::tuple(stage, F, backward) : std::tuple(stage + 1, B, backward);
                    CHECK(times.begins.at(of) + 1 > begin);
                }
            }
        }
    }
}

TEST_CASE("the idle time of each schedule is that of its authors") {
    for (std::int64_t stages = 2; stages <= 4; ++stages) {
        const std::int64_t count = 8;
        const auto end = [&](PipelineSchedule schedule, const auto& lengths) {
            return replay(pipeline_tasks(schedule, chain(stages), count), lengths).end;
        };
        // (p - 1) (F + B + W) where weight gradients belong to the backward pass
        const auto flushed = 3 * (count + stages - 1);
        CHECK(end(PipelineSchedule::fill_drain, joined_gradients) == flushed);
        CHECK(end(PipelineSchedule::one_forward_one_backward, joined_gradients) == flushed);
        // (p - 1) (F + B - W) with ZB-H1
        CHECK(end(PipelineSchedule::zero_bubble, unit) == 3 * count + stages - 1);
    }
}

TEST_CASE("a planned step has the idle share of its schedule, and a drawing") {
    const auto idle = [](PipelineSchedule schedule) {
        return planned_step(schedule, chain(3), 8)->idle_share;
    };
    CHECK(idle(PipelineSchedule::fill_drain) == Approx(2.0 / 10.0));
    CHECK(idle(PipelineSchedule::one_forward_one_backward) == Approx(2.0 / 10.0));
    CHECK(idle(PipelineSchedule::zero_bubble) == Approx(2.0 / 26.0));
    const auto drawing = [](PipelineSchedule schedule) {
        return planned_step_drawing(planned_step(schedule, chain(2), 2).value(), schedule, chain(2), 2);
    };
    CHECK(drawing(PipelineSchedule::fill_drain) ==
          "stage 1   1  2  .  .  .  1b 1b 2b 2b\n"
          "stage 2   .  1  2  1b 1b 2b 2b .  .\n");
    CHECK(drawing(PipelineSchedule::zero_bubble) ==
          "stage 1   1  2  .  1b 1w 2b 2w\n"
          "stage 2   .  1  1b 2  2b 1w 2w\n");
}

TEST_CASE("branches and circles of stages") {
    CHECK(stages_to_end({{2}, {2}, {}}) == std::vector<std::int64_t>{2, 2, 1});
    CHECK(stages_to_end({{1, 2}, {2}, {}}) == std::vector<std::int64_t>{3, 2, 1});
    CHECK(stages_to_end({{1}, {0}}) == std::nullopt);
    CHECK(pipeline_tasks(PipelineSchedule::fill_drain, {{1}, {0}}, 2)[1].size() == 4);
    CHECK_FALSE(planned_step(PipelineSchedule::fill_drain, {{1}, {0}}, 2).has_value());
    for (const auto schedule : {PipelineSchedule::one_forward_one_backward, PipelineSchedule::zero_bubble})
        CHECK_THROWS_WITH(pipeline_tasks(schedule, {{1}, {0}}, 2), Catch::Contains("in a circle"));
}

TEST_CASE("micro-batches differ by one example at most") {
    CHECK(micro_batch_sizes(10, 4) == std::vector<std::int64_t>{3, 3, 2, 2});
    CHECK(micro_batch_sizes(8, 8) == std::vector<std::int64_t>(8, 1));
    CHECK(micro_batch_sizes(3, 8) == std::vector<std::int64_t>(3, 1));
    CHECK(micro_batch_sizes(7, 1) == std::vector<std::int64_t>{7});
}
