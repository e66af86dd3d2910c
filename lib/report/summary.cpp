#include "report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"
#include "base/name_rule.hpp"
#include "measure/summary_json.hpp"
#include "report/batch_shares.hpp"
#include "report/failures.hpp"
#include "report/figures.hpp"
#include "report/measurement.hpp"
#include "report/or_null.hpp"
#include "report/planned_faults.hpp"
#include "report/run_folder_format.hpp"
#include "report/undisturbed_steps.hpp"

namespace convoy {

namespace {

using nlohmann::json;

/// Sets key to the value, or to null with the reason beside it where there is none or it is not finite.
void set_figure(json& object, const std::string& key, const std::optional<double>& value,
                const char* reason) {
    if (value && std::isfinite(*value)) {
        object[key] = *value;
        return;
    }
    object[key] = nullptr;
    object[key + "_reason"] = value ? "the value is not finite" : reason;
}

json final_scores(const RunResults& results) {
    const auto last = results.epochs.empty() ? EpochRecord{} : results.epochs.back();
    json object = json::object();
    set_figure(object, "train_loss", last.train_loss, "nothing was trained");
    set_figure(object, "train_accuracy", last.train_accuracy, "nothing was trained");
    set_figure(object, "validation_loss", last.validation_loss, "no validation examples were evaluated");
    set_figure(object, "validation_accuracy", last.validation_accuracy,
               "no validation examples were evaluated");
    set_figure(object, "test_loss", last.test_loss, "no test examples were evaluated");
    set_figure(object, "test_accuracy", last.test_accuracy, "no test examples were evaluated");
    return object;
}

void set_speeds(json& summary, const RunResults& results) {
    const auto figures = step_figures(results.steps, results.nodes);
    auto& step = summary["step_us"] = json::object();
    auto& speed = summary["examples_per_second"] = json::object();
    const auto figure = [&figures](double value) { return figures ? std::optional(value) : std::nullopt; };
    const auto found = figures.value_or(StepFigures{});
    constexpr auto reason = "no step was trained";
    set_figure(step, "mean", figure(found.step_us.mean), reason);
    set_figure(step, "p05", figure(found.step_us.p05), reason);
    set_figure(step, "p50", figure(found.step_us.p50), reason);
    set_figure(step, "p99", figure(found.step_us.p99), reason);
    const auto cores = undisturbed_steps(results.steps, results.nodes);
    set_figure(step, "undisturbed", cores ? cores->p10_us : std::nullopt,
               cores ? "too few steps were undisturbed" : "the nodes did not look at their cores");
    set_figure(speed, "mean", figure(found.examples_per_second_mean), reason);
    set_figure(speed, "p50", figure(found.examples_per_second_p50), reason);
}

void set_gradient_norms(json& summary, const RunResults& results) {
    if (const auto norms = gradient_norms(results.steps)) {
        summary["gradient_norm"] = {{"p50", norms->p50}, {"p99", norms->p99}, {"max", norms->max}};
    } else {
        set_figure(summary, "gradient_norm", {}, "gradients were not clipped by their global norm");
    }
}

/// Bytes per node and server, and the times of exchanges as means over the nodes: a server waits by design.
json communication(const RunResults& results) {
    CommunicationTimes sum;
    auto sent = json::array();
    auto received = json::array();
    const auto servers = server_ranks(results.steps, results.nodes);
    double nodes = 0.0;
    for (const auto& node : results.summaries) {
        sent.push_back(or_null(node.sent_bytes));
        received.push_back(or_null(node.received_bytes));
        if (servers.contains(node.node)) continue;
        sum += communication_of(results.operators, node.node);
        nodes += 1.0;
    }
    nodes = std::max(nodes, 1.0);
    return {{"bytes_sent_per_node", sent},
            {"bytes_received_per_node", received},
            {"in_flight_us", sum.in_flight_us / nodes},
            {"hidden_us", sum.hidden_us / nodes},
            {"exposed_us", sum.exposed_us / nodes},
            {"skew_us", sum.skew_us / nodes},
            {"exposed_skew_us", sum.exposed_skew_us / nodes}};
}

/// The limits of EmulatedCluster or EmulatedHost.
template <typename Limits>
json limits_json(const Limits& limits) {
    const auto limit = [](const auto& value) { return value ? json(*value) : json(); };
    return {{"link_mbit", limit(limits.link_mbit)},
            {"cpu", limit(limits.cpu)},
            {"memory_mb", limit(limits.memory_mb)}};
}

json cluster_json(const RunResults& results) {
    if (!results.cluster) return nullptr;
    auto object = limits_json(*results.cluster);
    object["hosts"] = results.cluster->hosts;
    for (const auto& host : results.cluster->unlike) object["unlike"].push_back(limits_json(host));
    return object;
}

/// Null for a run that had no target.
json target_json(const RunResults& results) {
    if (!results.target) return nullptr;
    json object{{"accuracy", results.target->accuracy}, {"split", results.target->split}};
    const auto reached = time_to_accuracy(results.epochs, *results.target);
    object["epoch"] = reached ? json(reached->epoch) : json();
    set_figure(object, "time_to_accuracy_s", reached ? std::optional(reached->seconds) : std::nullopt,
               "no epoch reached it");
    return object;
}

/// The key may be absent.
std::optional<AccuracyTarget> read_target(const json& summary, const std::string& source) {
    const auto found = summary.find("target");
    if (found == summary.end() || found->is_null()) return std::nullopt;
    try {
        return AccuracyTarget{.accuracy = found->at("accuracy").get<double>(),
                              .split = found->at("split").get<std::string>()};
    } catch (const json::exception&) {
        throw DataError(fmt::format("{}: target: expected null or an accuracy and its split", source));
    }
}

template <typename Limits>
void read_limits(const json& object, Limits& limits) {
    limits.link_mbit = read_or_null<double>(object.at("link_mbit"));
    limits.cpu = read_or_null<double>(object.at("cpu"));
    limits.memory_mb = read_or_null<std::int64_t>(object.at("memory_mb"));
}

/// The key may be absent.
std::optional<EmulatedCluster> read_cluster(const json& summary, const std::string& source) {
    const auto found = summary.find("cluster");
    if (found == summary.end() || found->is_null()) return std::nullopt;
    try {
        EmulatedCluster cluster{.hosts = integer_of<std::int64_t>(found->at("hosts"))};
        read_limits(*found, cluster);
        for (const auto& host : found->value("unlike", json::array()))
            read_limits(host, cluster.unlike.emplace_back());
        return cluster;
    } catch (const json::exception&) {
        throw DataError(fmt::format("{}: cluster: expected null or hosts and their limits", source));
    }
}

double pct_or_zero(double part, double whole) {
    return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

template <typename Figure>
json per_node(const RunResults& results, Figure figure) {
    auto values = json::array();
    for (const auto& node : results.summaries) values.push_back(figure(node));
    return values;
}

template <typename Value>
Value required(const json& summary, const char* key, const std::string& source) {
    const auto found = summary.is_object() ? summary.find(key) : summary.end();
    constexpr bool wants_text = std::is_same_v<Value, std::string>;
    if (found == summary.end() || (wants_text ? !found->is_string() : !is_integer_of<std::int64_t>(*found))) {
        throw DataError(fmt::format("{}: {}: expected {}", source, key, wants_text ? "text" : "an integer"));
    }
    return found->get<Value>();
}

/// A text that a rule of names allows; run_ids too are names.
std::string required_name(const json& summary, const char* key, const std::string& source) {
    auto name = required<std::string>(summary, key, source);
    if (file_names.allows(name)) return name;
    throw DataError(
        fmt::format("{}: {}: found {}, expected {}", source, key, describe(name), file_names.expected()));
}

/// A number of nodes, or of examples, of which there is at least one.
std::int64_t required_count(const json& summary, const char* key, const std::string& source,
                            std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    const auto count = required<std::int64_t>(summary, key, source);
    if (count < 1) throw DataError(fmt::format("{}: {}: found {}, expected at least 1", source, key, count));
    if (count > most)
        throw DataError(fmt::format("{}: {}: found {}, expected at most {}", source, key, count, most));
    return count;
}

json input_pipeline(const RunResults& results) {
    const auto stages = input_times(results.summaries);
    return {
        {"interleave", stages.interleave_s}, {"prepare", stages.prepare_s}, {"shuffle", stages.shuffle_s},
        {"batch", stages.batch_s},           {"map", stages.map_s},         {"augment", stages.augment_s}};
}

/// Text as a list of its lines; null if there is none.
json lines_json(const std::string& text) {
    if (text.empty()) return nullptr;
    auto lines = json::array();
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

std::string read_lines(const json& summary, const char* key, const std::string& source) {
    const auto found = summary.find(key);
    if (found == summary.end() || found->is_null()) return "";
    if (!found->is_array())
        throw DataError(fmt::format("{}: {}: expected null or lines of text", source, key));
    std::string text;
    for (const auto& line : *found) {
        if (!line.is_string())
            throw DataError(fmt::format("{}: {}: expected null or lines of text", source, key));
        text += line.get<std::string>() + "\n";
    }
    return text;
}

}  // namespace

json summary_json(const RunResults& results) {
    const auto phases = phase_times(results.summaries, results.nodes);
    std::int64_t steps = 0;
    for (const auto& node : results.summaries) steps = std::max(steps, node.steps);
    json summary{{"name", results.name},
                 {"run_id", results.run_id},
                 {"status", run_status_name(results.status)},
                 {"nodes", results.nodes},
                 {"batch_size", results.batch_size},
                 {"cluster", cluster_json(results)},
                 {"target", target_json(results)},
                 {"balance", shares_json(results)},
                 {"planned_pipeline", lines_json(results.planned_pipeline)},
                 {"steps", steps},
                 {"epochs", results.epochs.size()},
                 {"resumed_from_steps", results.resumed_from_steps},
                 {"failures", failures_json(results.failures)},
                 {"faults", planned_faults_json(results.faults)},
                 {"bits_independent_of_nodes", results.bits_independent_of_nodes},
                 {"final", final_scores(results)},
                 {"phases_s",
                  {{"read", phases.read_s},
                   {"preprocess", phases.preprocess_s},
                   {"train", phases.train_s},
                   {"evaluate", phases.evaluate_s},
                   {"checkpoint", phases.checkpoint_s},
                   {"total", phases.total_s},
                   {"fetch", phases.fetch_s}}},
                 {"data", {{"wait_us", mean_data_wait_us(results)}}},
                 {"input_pipeline_s", input_pipeline(results)},
                 {"communication", communication(results)}};
    set_speeds(summary, results);
    set_gradient_norms(summary, results);
    summary["memory"]["peak_resident_bytes_per_node"] =
        per_node(results, [](const NodeSummary& node) { return node.peak_resident_bytes; });
    summary["cpu"]["user_pct_per_node"] =
        per_node(results, [](const NodeSummary& node) { return pct_or_zero(node.cpu_user_s, node.total_s); });
    summary["cpu"]["system_pct_per_node"] = per_node(
        results, [](const NodeSummary& node) { return pct_or_zero(node.cpu_system_s, node.total_s); });
    summary["measurement"] = measurement_json(results);
    if (summary["measurement"].is_null()) summary["measurement_reason"] = no_verdict_reason;
    summary["per_node"] = per_node(results, summary_to_json);
    return summary;
}

void read_summary_json(const json& summary, const std::string& source, RunResults& results) {
    results.name = required_name(summary, "name", source);
    results.run_id = required_name(summary, "run_id", source);
    const auto status = required<std::string>(summary, "status", source);
    results.status = status == run_status_name(RunStatus::done) ? RunStatus::done : RunStatus::interrupted;
    if (status != run_status_name(results.status))
        throw DataError(fmt::format("{}: status: expected \"done\" or \"interrupted\"", source));
    results.nodes = required_count(summary, "nodes", source, most_ranks);
    results.batch_size = required_count(summary, "batch_size", source);
    results.cluster = read_cluster(summary, source);
    results.target = read_target(summary, source);
    results.balance = read_shares(summary, source);
    results.planned_pipeline = read_lines(summary, "planned_pipeline", source);
    for (const auto& step : summary.value("resumed_from_steps", json::array())) {
        if (!is_integer_of<std::int64_t>(step))
            throw DataError(fmt::format("{}: resumed_from_steps: expected integers", source));
        results.resumed_from_steps.push_back(step.get<std::int64_t>());
    }
    results.failures = read_failures(summary, source);
    results.faults = read_planned_faults(summary, source);
    if (const auto same = summary.find("bits_independent_of_nodes"); same != summary.end()) {
        if (!same->is_boolean())
            throw DataError(fmt::format("{}: bits_independent_of_nodes: expected true or false", source));
        results.bits_independent_of_nodes = same->get<bool>();
    }
    const auto nodes = summary.find("per_node");
    if (nodes == summary.end() || !nodes->is_array()) {
        throw DataError(fmt::format("{}: per_node: expected a list", source));
    }
    for (const auto& node : *nodes) {
        try {
            results.summaries.push_back(summary_from_json(node));
        } catch (const DataError& problem) {
            throw DataError(
                fmt::format("{}: per_node[{}]: {}", source, results.summaries.size(), problem.what()));
        }
    }
}

}  // namespace convoy
