#include "bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "all_reduce_launch.hpp"
#include "base/console.hpp"
#include "base/error.hpp"
#include "base/json_text.hpp"
#include "bench/all_reduce_bench.hpp"
#include "bench/all_reduce_calibration.hpp"
#include "bench/message_sizes.hpp"
#include "cluster/worker.hpp"
#include "command_line.hpp"
#include "error_json.hpp"
#include "host_guardian_command.hpp"
#include "report/render.hpp"
#include "spec/parse.hpp"
#include "worker_command.hpp"
#include "world_node.hpp"

namespace convoy {
namespace {

namespace options = boost::program_options;

constexpr const char* wires = "float32, float16 or bfloat16";

options::options_description bench_options_described() {
    auto described = option_group();
    described.add_options()                                                                        //
        ("nodes", options::value<std::int64_t>()->default_value(2)->value_name("N"), "processes")  //
        ("sizes", options::value<std::string>()->default_value("1K..64M")->value_name("LIST"),
         "of the buffer in bytes: a list (4K,1M) or a range (1K..256M)")  //
        ("factor", options::value<std::int64_t>()->default_value(2)->value_name("F"),
         "between sizes of a range")  //
        ("iterations", options::value<std::int64_t>()->default_value(0)->value_name("N"),
         "timed sums of each size; 0: 20 to 500, more for small")  //
        ("warmup", options::value<std::int64_t>()->default_value(5)->value_name("N"),
         "checked sums of each size before those; one at least")  //
        ("algorithm", options::value<std::string>()->default_value("auto")->value_name("NAME"),
         "auto, ring, halving_doubling, recursive_doubling, tree, pairwise or hierarchical")  //
        ("wire", options::value<std::string>()->default_value("float32")->value_name("NAME"),
         fmt::format("how values travel: {}", wires).c_str())  //
        ("segment", options::value<std::int64_t>()->default_value(1 << 18)->value_name("BYTES"),
         "bytes that are sent, received and added at a time")  //
        ("connections", options::value<std::int64_t>()->default_value(1)->value_name("N"),
         "TCP connections to each peer; the buffer is cut into as many pieces")  //
        ("deadline", options::value<double>()->default_value(30.0)->value_name("S"),
         "seconds after which a silent node is lost")  //
        ("tls", "the connections are under TLS 1.3")   //
        ("seal",
         "frames have seals, as on connections that leave a machine; without both, frames are bare, as "
         "within a machine")               //
        ("json", "print one JSON object")  //
        ("calibrate",
         "measure every algorithm and print which is fastest for which size, as JSON: what "
         "strategy.calibration of a spec takes");
    described.add(cluster_options_described());
    return described;
}

std::int64_t integer(const options::variables_map& given, const std::string& name, std::int64_t low,
                     std::int64_t high) {
    const auto value = given[name].as<std::int64_t>();
    if (value < low || value > high) {
        throw UsageError(fmt::format("convoy bench: --{} is {}, expected {} to {}", name, value, low, high));
    }
    return value;
}

/// The value that an option names.
template <typename Value, std::size_t Count>
Value named(const std::string& option, const std::array<std::pair<std::string_view, Value>, Count>& values,
            const options::variables_map& given) {
    const auto wanted = given[option].as<std::string>();
    std::string names;
    for (const auto& [name, value] : values) {
        if (name == wanted) return value;
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    refuse_word("--" + option, wanted, names);
}

AllReduceBench bench_of(const options::variables_map& given) {
    AllReduceBench bench;
    bench.sizes = naming_option("sizes", [&] {
        return parse_sizes(given["sizes"].as<std::string>(), given["factor"].as<std::int64_t>());
    });
    bench.iterations = integer(given, "iterations", 0, 1'000'000);
    bench.warmup = integer(given, "warmup", 0, 1'000'000);
    bench.connections = integer(given, "connections", 1, 16);
    bench.options.algorithm = named("algorithm", all_reduce_algorithm_names, given);
    bench.options.wire_type = named("wire", wire_type_names, given);
    if (bench.options.wire_type == WireType::top_k)
        throw UsageError(
            "convoy bench: --wire is top_k, expected float32, float16 or bfloat16: top_k sums only a part of "
            "a buffer, and keeps the rest for the next sum; convoy run measures it");
    bench.options.segment_bytes = integer(given, "segment", 64, 1 << 30);
    return bench;
}

/// A bench is a run whose job is another. What its spec says of data and model is not used.
ExperimentSpec spec_of(const options::variables_map& given, std::string_view algorithm) {
    const auto nodes = integer(given, "nodes", 1, 256);
    try {
        return parse_spec(
            {{"name", "bench-allreduce"},
             {"dataset", {{"name", "synthetic_digits"}}},
             {"model", "mnist_cnn"},
             {"nodes", nodes},
             {"batch_size", nodes},
             {"strategy", {{"connections", integer(given, "connections", 1, 16)}, {"algorithm", algorithm}}},
             {"cluster", cluster_json_given(given)},
             {"deadline_s", given["deadline"].as<double>()}},
            "convoy bench");
    } catch (const DataError& refused) {
        throw UsageError(refused.what());
    }
}

/// How the connections of a bench are protected.
BenchProtection protection_of(const options::variables_map& given) {
    if (given.contains("tls") && given.contains("seal"))
        throw UsageError(
            "convoy bench: --tls and --seal exclude each other: under TLS, frames have no seals");
    return given.contains("tls")    ? BenchProtection::tls
           : given.contains("seal") ? BenchProtection::seal
                                    : BenchProtection::none;
}

/// The cluster with every field written out; null where there is none.
nlohmann::json full_cluster_json(const ExperimentSpec& spec) {
    return to_json(spec).at("cluster");
}

/// Why a bench failed although it has results; absent if all is well.
std::optional<Error> failure_of(const AllReduceBench& bench, const RunOutcome& outcome) {
    try {
        check_sums(outcome.records, bench.options.algorithm);
    } catch (const Error& error) {
        return error;
    }
    if (outcome.status == RunStatus::done) return std::nullopt;
    return InterruptedError("interrupted; standard output has what was measured until then");
}

int bench_all_reduce(const options::variables_map& given) {
    const auto bench = bench_of(given);
    const auto spec = spec_of(given, given["algorithm"].as<std::string>());
    const auto protection = protection_of(given);
    const auto outcome = launch_all_reduce(spec, bench, protection);
    const auto table = all_reduce_table(bench, spec.world_size(), outcome.records);
    const auto error = failure_of(bench, outcome);
    if (!given.contains("json")) {
        print(to_text(table));
        if (error) throw Error(*error);
        return static_cast<int>(ExitCode::done);
    }
    auto rows = nlohmann::json::parse(to_json_text(table)).at("rows");
    nlohmann::json results{
        {"nodes", spec.world_size()}, {"cluster", full_cluster_json(spec)}, {"results", std::move(rows)}};
    if (error) return print_with_error(std::move(results), *error);
    print(json_text(results, 2) + "\n");
    return static_cast<int>(ExitCode::done);
}

/// What a calibration is measured with: sizes that ascend, and nothing that it could not say.
AllReduceBench calibrating_bench_of(const options::variables_map& given) {
    auto bench = bench_of(given);
    const auto refuse = [](const std::string& why) { throw UsageError("convoy bench: --calibrate " + why); };
    if (bench.options.algorithm != AllReduceAlgorithm::automatic)
        refuse("measures every algorithm, and goes without --algorithm");
    if (protection_of(given) != BenchProtection::none) refuse("goes without --tls and --seal");
    if (bench.options.wire_type != WireType::float32 || bench.connections != 1 || given.contains("json"))
        refuse("goes without --wire, --connections and --json");
    if (std::ranges::adjacent_find(bench.sizes, std::ranges::greater_equal{}) != bench.sizes.end())
        refuse("wants ascending --sizes");
    return bench;
}

std::string_view algorithm_name(AllReduceAlgorithm algorithm) {
    return std::ranges::find(all_reduce_algorithm_names, algorithm,
                             &std::pair<std::string_view, AllReduceAlgorithm>::second)
        ->first;
}

int calibrate(const options::variables_map& given) {
    const auto bench = calibrating_bench_of(given);
    auto spec = spec_of(given, "auto");
    spec.strategy.calibration = calibrate_all_reduce(spec, bench, [](const auto& nodes, const auto& one) {
        say(fmt::format("measuring {}", algorithm_name(one.options.algorithm)));
        return measure_all_reduce(nodes, one);
    });
    print(json_text(to_json(spec).at("strategy").at("calibration")) + "\n");
    return static_cast<int>(ExitCode::done);
}

int run_node_of_bench(const options::variables_map& given) {
    const auto bench = bench_of(given);
    const auto job = [&](const NodeAssignment& assignment, Network& network, NodeReporter& reporter) {
        run_all_reduce_bench(bench, assignment, network, reporter);
    };
    return run_worker(worker_options(given), job);
}

}  // namespace

CommandForm bench_form() {
    std::vector<std::string> algorithms;
    for (const auto& [name, value] : all_reduce_algorithm_names) algorithms.emplace_back(name);
    return {
        .name = "bench",
        .arguments = {{.name = "action", .shown = "allreduce", .values = {"allreduce", "operators"}}},
        .summary = "measures the all-reduce without training, over N processes on this machine",
        .details = {"It prints the columns of nccl-tests. For the operators of a network see convoy bench "
                    "operators --help"},
        .options = bench_options_described(),
        .values = {{"algorithm", std::move(algorithms)}, {"wire", words_of_list(wires)}}};
}

int bench_command(std::span<const std::string> arguments) {
    const auto form = bench_form();
    const auto given = parse_arguments(form, arguments, worker_options_described());
    if (print_help(given, form)) return 0;
    require_no_world();
    const auto action = argument_given(given, "action");
    if (action == "allreduce")
        return given.contains("calibrate") ? calibrate(given) : bench_all_reduce(given);
    if (action == all_reduce_node_action) return run_node_of_bench(given);
    throw UsageError("convoy bench: allreduce or operators is expected; see convoy bench --help");
}

}  // namespace convoy
