#include "calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "all_reduce_launch.hpp"
#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "bench/cluster_calibration.hpp"
#include "bench/message_sizes.hpp"
#include "bench/node_speeds.hpp"
#include "checked_spec.hpp"
#include "cluster/worker.hpp"
#include "command_line.hpp"
#include "data/folders.hpp"
#include "progress.hpp"
#include "voice.hpp"
#include "worker_command.hpp"
#include "world_node.hpp"

namespace convoy {

namespace options = boost::program_options;

namespace {

options::options_description calibrate_options_described() {
    auto described = option_group();
    add_set_option(described, "the spec");
    add_data_option(described);
    described.add_options()  //
        ("out", options::value<std::string>()->value_name("FILE"),
         "file to write, which the spec's calibration may name; else standard output")  //
        ("steps", options::value<std::int64_t>()->default_value(30)->value_name("N"),
         "training steps of an epoch; all nodes train for the time of two epochs of the slowest, the first "
         "epoch of each does not count")  //
        ("sizes", options::value<std::string>()->default_value("4K,16K,64K,256K,1M,4M")->value_name("LIST"),
         "of sums over all nodes, in bytes: a list or a range (1K..4M), ascending")  //
        ("iterations", options::value<std::int64_t>()->default_value(20)->value_name("N"), "of each sum");
    add_voice_options(described);
    return described;
}

std::int64_t within(const options::variables_map& given, const char* option, std::int64_t high) {
    const auto value = given[option].as<std::int64_t>();
    if (value < 1 || value > high)
        throw UsageError(fmt::format("--{}: found {}, expected 1 to {}", option, value, high));
    return value;
}

AllReduceBench sums_of(const options::variables_map& given) {
    AllReduceBench bench;
    bench.sizes = naming_option("sizes", [&] { return parse_sizes(given["sizes"].as<std::string>(), 4); });
    if (std::ranges::adjacent_find(bench.sizes, std::ranges::greater_equal{}) != bench.sizes.end())
        throw UsageError("convoy calibrate wants ascending --sizes");
    bench.iterations = within(given, "iterations", 1'000'000);
    return bench;
}

MeasuredNodes measure_nodes(const ExperimentSpec& spec, const std::filesystem::path& data_folder,
                            const SpeedMeasurement& how, const Voice& voice) {
    LaunchOptions launch_options;
    launch_options.spec = spec;
    launch_options.data_folder = data_folder;
    launch_options.worker_command = {std::filesystem::read_symlink("/proc/self/exe").string(),
                                     "calibrate-node", "--steps", std::to_string(how.steps)};
    if (how.time)
        launch_options.worker_command.insert(launch_options.worker_command.end(),
                                             {"--seconds", fmt::format("{}", how.time->count())});
    LaunchDetails details(voice);
    auto outcome = launch(launch_options, details);
    if (outcome.status != RunStatus::done) throw InterruptedError("interrupted");
    MeasuredNodes measured{.records = std::move(outcome.records), .threads = {}};
    for (const auto& node : outcome.nodes) measured.threads.push_back(node.threads);
    return measured;
}

}  // namespace

CommandForm calibrate_form() {
    return {.name = "calibrate",
            .arguments = {{.name = "spec", .shown = "SPEC"}},
            .summary = "measures a spec's nodes and links, for its field calibration",
            .options = calibrate_options_described()};
}

int calibrate_command(std::span<const std::string> arguments) {
    const auto form = calibrate_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    require_no_world();
    const auto voice = voice_given(given);
    const auto data_folder = find_data_folder(path_given(given, "data"));
    auto overrides = overrides_given(given);
    overrides.emplace_back("calibration=null");        // its file may be the one that is yet to be written
    overrides.emplace_back("strategy.balance=equal");  // "speed" takes what is yet to be measured
    const auto checked = check_spec(spec_given(given), overrides, data_folder, voice);
    require_memory(checked);
    const auto& spec = checked.spec;
    const auto out = new_file_given(given, "out");
    const auto steps = within(given, "steps", 100'000);
    const auto calibration = calibrate_cluster(
        spec,
        {.measure_nodes = [&](const auto& nodes,
                              const auto& how) { return measure_nodes(nodes, data_folder, how, voice); },
         .measure_all_reduce = measure_all_reduce,
         .all_reduce = sums_of(given),
         .steps = steps,
         .tell = [&voice](const std::string& line) { voice.tell(line); }});
    const auto text = json_text(to_json(calibration), 2) + "\n";
    if (out) {
        write_whole(*out, text);
    } else {
        print(text);
    }
    return 0;
}

int calibrate_node_command(std::span<const std::string> arguments) {
    auto described = option_group();
    described.add_options()                                                                         //
        ("steps", options::value<std::int64_t>()->default_value(30), "training steps of an epoch")  //
        ("seconds", options::value<double>(), "for which it trains at least");
    described.add(worker_options_described());
    const auto given = parse_arguments({.name = "calibrate-node", .options = described}, arguments);
    SpeedMeasurement how{.steps = within(given, "steps", 100'000)};
    if (given.contains("seconds")) how.time = Seconds(given["seconds"].as<double>());
    const auto job = [&](const NodeAssignment& assignment, Network&, NodeReporter& reporter) {
        run_node_speeds(how, assignment, reporter);
    };
    return run_worker(worker_options(given), job);
}

}  // namespace convoy
