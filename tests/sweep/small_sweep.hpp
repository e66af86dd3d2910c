#pragma once

#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "spec/parse.hpp"
#include "support/written_run.hpp"
#include "sweep/sweep_folder.hpp"
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
inline WholeRun record_of(const SweepRun& run) {
    WholeRun record;
    record.name = run.spec.name;
    record.run_id = run.run_id;
    record.batch_size = run.spec.batch_size;
    record.spec = to_json(run.spec).dump();
    record.environment = "{}";
    NodeEpochRecord epoch{.node = 0, .epoch = 1, .train = {}, .validation = {}, .test = {}};
    epoch.train = {.loss_sum = 2.0, .correct = 1, .examples = 2};
    epoch.test = {.loss_sum = 2.0, .correct = 5 + static_cast<std::int64_t>(run.spec.seed), .examples = 10};
    record.records.epochs.push_back(epoch);
    return record;
}

/// Writes the run folder of a run, as `convoy sweep` does.
inline void keep(const SweepFolder& folder, const SweepRun& run) {
    write_run_folder(folder.run_folder(run), record_of(run));
    folder.forget_failure(run);
}

}  // namespace convoy::test
