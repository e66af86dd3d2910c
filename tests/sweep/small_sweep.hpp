#pragma once

#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "report/run_record.hpp"
#include "spec/parse.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy::test {

/// Two batch sizes, two repeats.
inline Sweep small_sweep() {
    const nlohmann::json content{
        {"base", {{"name", "small"}, {"dataset", {{"name", "synthetic_digits"}}}, {"model", "mnist_cnn"}}},
        {"grid", {{"batch_size", {32, 64}}}},
        {"repeats", 2}};
    const TemporaryFolder folder;
    return load_sweep(folder.write("sweep.json", content.dump()));
}

/// What a run of it might leave: one step, and a test accuracy of 0.5 + seed / 10.
inline RunRecord record_of(const SweepRun& run) {
    RunRecord record{.name = run.spec.name,
                     .run_id = run.run_id,
                     .status = "done",
                     .nodes = 1,
                     .batch_size = run.spec.batch_size,
                     .spec = to_json(run.spec).dump(),
                     .environment = "{}",
                     .records = {},
                     .resumed_from_steps = {},
                     .weights = {}};
    NodeEpochRecord epoch{.node = 0, .epoch = 1, .train = {}, .validation = {}, .test = {}};
    epoch.train = {.loss_sum = 2.0, .correct = 1, .examples = 2};
    epoch.test = {.loss_sum = 2.0, .correct = 5 + static_cast<std::int64_t>(run.spec.seed), .examples = 10};
    record.records.epochs.push_back(epoch);
    return record;
}

}  // namespace convoy::test
