#include "end_to_end/metrics_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "end_to_end/small_experiment.hpp"

namespace convoy::test {

namespace {

double number(const nlohmann::json& row, const char* column) {
    const auto text = row.at(column).get<std::string>();
    return text.empty() ? 0.0 : std::stod(text);
}

std::string of_node(const char* name, const nlohmann::json& row) {
    return fmt::format("{}{{node=\"{}\"", name, row.at("node").get<std::string>());
}

void add_steps(std::map<std::string, double>& values, const std::filesystem::path& run) {
    for (const auto& row : rows_of(run / "steps.csv")) {
        values[of_node("node_steps_total", row) + "}"] += 1;
        values[of_node("node_examples_total", row) + "}"] += number(row, "examples");
        values[of_node("node_correct_examples_total", row) + "}"] += number(row, "correct");
        values[of_node("node_step_seconds_total", row) + "}"] += number(row, "step_us") / 1e6;
        values[of_node("node_compute_seconds_total", row) + "}"] += number(row, "compute_us") / 1e6;
        values[of_node("node_wait_seconds_total", row) + "}"] += number(row, "wait_us") / 1e6;
        values[of_node("node_loss", row) + "}"] = number(row, "loss");
    }
}

void add_operators(std::map<std::string, double>& values, const std::filesystem::path& run) {
    for (const auto& row : rows_of(run / "operators.csv")) {
        if (row.at("folded_into") != "") continue;
        const auto phase = row.at("phase").get<std::string>();
        values[of_node("node_operator_seconds_total", row) +
               fmt::format(",phase=\"{}\",operator=\"{}\"}}", phase,
                           row.at("operator").get<std::string>())] += number(row, "total_us") / 1e6;
        if (phase != "train" || row.at("in_flight_us") == "") continue;
        for (const std::string part : {"in_flight", "hidden", "exposed", "skew", "exposed_skew"})
            values[of_node("node_exchange_seconds_total", row) + ",part=\"" + part + "\"}"] +=
                number(row, (part + "_us").c_str()) / 1e6;
    }
}

void add_epochs(std::map<std::string, double>& values, const std::filesystem::path& run) {
    const auto rows = rows_of(run / "epochs.csv");
    const auto& last = rows.back();
    values["run_epochs_total"] = number(last, "epoch");
    for (const std::string split : {"train", "test"}) {
        if (last.at(split + "_loss") == "") continue;  // it was interrupted before
        values["epoch_loss{split=\"" + split + "\"}"] = number(last, (split + "_loss").c_str());
        values["epoch_accuracy{split=\"" + split + "\"}"] = number(last, (split + "_accuracy").c_str());
    }
    values["epoch_train_seconds"] = number(last, "train_s");
    values["epoch_evaluate_seconds"] = number(last, "evaluate_s");
}

void add_system(std::map<std::string, double>& values, const std::filesystem::path& run) {
    for (const auto& row : rows_of(run / "system.csv")) {
        values[of_node("node_cpu_cores", row) + ",mode=\"user\"}"] = number(row, "cpu_user_pct") / 100;
        values[of_node("node_resident_memory_bytes", row) + "}"] = number(row, "resident_bytes");
    }
    const auto summary = json_of(run / "summary.json");
    for (const auto& node : summary.at("per_node")) {
        const auto rank = fmt::format("{{node=\"{}\"", node.at("node").get<int>());
        values["node_peak_resident_memory_bytes" + rank + "}"] = node.at("peak_resident_bytes");
        values["node_sent_bytes_total" + rank + "}"] = node.at("sent_bytes");
        values["node_received_bytes_total" + rank + "}"] = node.at("received_bytes");
        values["node_cpu_seconds_total" + rank + ",mode=\"user\"}"] = node.at("cpu_user_s");
        values["node_phase_seconds_total" + rank + ",phase=\"train\"}"] = node.at("train_s");
    }
}

}  // namespace

Catch::Matchers::Floating::WithinAbsMatcher has_value(double value) {
    return Catch::Matchers::WithinAbs(value, std::max(std::abs(value) * 1e-6, 1e-5));
}

std::map<std::string, double> metric_values(const std::string& text) {
    std::map<std::string, double> values;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with('#')) continue;
        const auto space = line.rfind(' ');
        values[line.substr(0, space)] = std::stod(line.substr(space + 1));
    }
    return values;
}

std::map<std::string, double> values_of_tables(const std::filesystem::path& run) {
    std::map<std::string, double> values;
    add_steps(values, run);
    add_operators(values, run);
    add_epochs(values, run);
    add_system(values, run);
    return values;
}

void check_metrics(const std::string& text, const std::filesystem::path& run,
                   std::optional<std::int64_t> but_node) {
    const auto found = metric_values(text);
    const auto label = "run=\"" + run.filename().string() + "\"";
    for (const auto& [key, value] : values_of_tables(run)) {
        if (but_node && key.find(fmt::format("node=\"{}\"", *but_node)) != std::string::npos) continue;
        auto name = "convoy_" + key;
        const auto labels = name.find('{');
        name = labels == std::string::npos ? name + "{" + label + "}" : name.insert(labels + 1, label + ",");
        INFO(name);
        REQUIRE(found.contains(name));
        CHECK_THAT(found.at(name), has_value(value));
    }
}

}  // namespace convoy::test
