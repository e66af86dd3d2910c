#include "settled_examples.hpp"

#include <fmt/format.h>

namespace convoy::test {

using nlohmann::json;

SettledRun settled_run(const std::string& setting, std::int64_t repeat, double step_us, double accuracy,
                       const std::string& weights) {
    const auto id = fmt::format("{:0>6}{:06}", setting, repeat);
    return {.settings = {setting},
            .repeat = repeat,
            .run_id = id,
            .folder = "small-" + id,
            .weights_sha256 = weights,
            .summary = {{"final", {{"test_accuracy", accuracy}}},
                        {"step_us", {{"p50", step_us}}},
                        {"measurement", {{"verdict", "quiet"}}}},
            .environment = {{"build", {{"commit", "abc123"}, {"options", "Release"}}},
                            {"versions", {{"convoy", "0.2.0"}, {"onednn", "2.6.3"}}},
                            {"compiler", "g++ 12"},
                            {"command", {"convoy", "sweep", "sweep.json"}},
                            {"cpu", {{"model", "A & B"}, {"cores", 4}, {"usable_cores", 2}}},
                            {"kernel", "Linux 6"},
                            {"memory_bytes", 8'000'000'000},
                            {"nodes", {{{"host", "127.0.0.1"}}, {{"host", "127.0.0.1"}}}},
                            {"data", {{{"file", "mnist/x_y.gz"}, {"sha256", "0123456789abcdef0123"}}}}},
            .spec = {{"model", {{"name", "resnet_v1"}, {"depth", 20}}},
                     {"dataset", {{"name", "mnist"}}},
                     {"batch_size", setting},
                     {"epochs", 12},
                     {"optimizer", {{"name", "sgd"}, {"learning_rate", 0.1}}},
                     {"strategy", {{"name", "ring_allreduce"}}},
                     {"nodes", 2}}};
}

SettledSweep settled_sweep_of(std::int64_t repeats, const std::string& weights) {
    SettledSweep sweep{.name = "small",
                       .id = "0123456789ab",
                       .fields = {"batch_size"},
                       .repeats = repeats,
                       .planned = 2 * repeats,
                       .runs = {}};
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat)
        for (const auto* setting : {"32", "64"})
            sweep.runs.push_back(settled_run(setting, repeat, 1000.0 + static_cast<double>(repeat),
                                             0.9 + 0.001 * static_cast<double>(repeat), weights));
    return sweep;
}

ArchiveFiles files_of(const SettledSweep& sweep) {
    auto runs = json::array();
    ArchiveFiles files{{"sweep.json", "{}"}, {"runs.csv", "batch_size\n"}, {"reproduce.sh", "#!/bin/sh\n"}};
    for (const auto& run : sweep.runs) {
        runs.push_back({{"settings", run.settings},
                        {"repeat", run.repeat},
                        {"run_id", run.run_id},
                        {"folder", run.folder},
                        {"weights_sha256", run.weights_sha256}});
        files.emplace("runs/" + run.folder + "/summary.json", run.summary.dump());
        files.emplace("runs/" + run.folder + "/environment.json", run.environment.dump());
    }
    files.emplace("archive.json", json({{"format", "convoy archive"},
                                        {"version", 1},
                                        {"name", sweep.name},
                                        {"id", sweep.id},
                                        {"fields", sweep.fields},
                                        {"repeats", sweep.repeats},
                                        {"planned", sweep.planned},
                                        {"runs", runs}})
                                      .dump());
    return files;
}

}  // namespace convoy::test
