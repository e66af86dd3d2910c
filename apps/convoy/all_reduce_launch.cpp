#include "all_reduce_launch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"

namespace convoy {
namespace {

/// The name of a value.
template <typename Value, std::size_t Count>
std::string name_of(const std::array<std::pair<std::string_view, Value>, Count>& names, Value value) {
    return std::string(std::ranges::find(names, value, &std::pair<std::string_view, Value>::second)->first);
}

/// The bench as options of `convoy bench`.
std::vector<std::string> words_of(const AllReduceBench& bench) {
    return {"--sizes",       fmt::format("{}", fmt::join(bench.sizes, ",")),
            "--iterations",  std::to_string(bench.iterations),
            "--warmup",      std::to_string(bench.warmup),
            "--connections", std::to_string(bench.connections),
            "--algorithm",   name_of(all_reduce_algorithm_names, bench.options.algorithm),
            "--wire",        name_of(wire_type_names, bench.options.wire_type),
            "--segment",     std::to_string(bench.options.segment_bytes)};
}

}  // namespace

RunOutcome launch_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench,
                             BenchProtection protection) {
    LaunchOptions options;
    options.always_seal = protection == BenchProtection::seal;
    if (protection == BenchProtection::tls) options.tls.emplace();
    options.spec = spec;
    options.worker_command = {std::filesystem::read_symlink("/proc/self/exe").string(), "bench",
                              all_reduce_node_action};
    const auto words = words_of(bench);
    options.worker_command.insert(options.worker_command.end(), words.begin(), words.end());
    LaunchObserver silent;
    return launch(options, silent);
}

NodeRecords measure_all_reduce(const ExperimentSpec& spec, const AllReduceBench& bench) {
    auto outcome = launch_all_reduce(spec, bench);
    if (outcome.status != RunStatus::done) throw InterruptedError("interrupted");
    return std::move(outcome.records);
}

}  // namespace convoy
