#include "small_experiment.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "base/sha256.hpp"

namespace convoy::test {
using nlohmann::json;

json small_spec() {
    return json::parse(R"({
        "name": "small",
        "dataset": {"name": "synthetic_digits", "train_examples": 240, "test_examples": 50},
        "model": {"input": [1, 28, 28], "layers": [
            {"type": "conv2d", "filters": 16, "kernel": 3, "stride": 2, "activation": "relu"},
            {"type": "max_pool"},
            {"type": "dropout", "rate": 0.25},
            {"type": "flatten"},
            {"type": "dense", "units": 10, "activation": "softmax"}]},
        "nodes": [{"threads": 1}, {"threads": 1}],
        "batch_size": 24,
        "strategy": {"name": "ring_allreduce", "bucket_bytes": 1024},
        "deadline_s": 20})");
}

json nodes(int count) {
    json list = json::array();
    for (int i = 0; i < count; ++i) list.push_back({{"threads", 1}});
    return list;
}

json fault(int node, int step, const char* kind) {
    return {{"node", node}, {"step", step}, {"kind", kind}};
}

json long_spec() {
    auto spec = small_spec();
    spec["epochs"] = 100000;
    spec["measure"] = {{"trace_steps", 0}};
    return spec;
}

std::string write_spec(const TemporaryFolder& folder, const json& spec, const std::string& name) {
    std::ofstream(folder / name) << spec.dump(2);
    return (folder / name).string();
}

std::filesystem::path run_spec(const TemporaryFolder& folder, const json& spec, const std::string& out) {
    const auto outcome =
        run_convoy({"run", write_spec(folder, spec, out + ".json"), "--out", (folder / out).string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return folder / out;
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    INFO(file.string());
    REQUIRE(in.good());
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

json json_of(const std::filesystem::path& file) {
    return json::parse(text_of(file));
}

std::vector<json> rows_of(const std::filesystem::path& file) {
    std::istringstream in(text_of(file));
    const auto cells = [](const std::string& line) {
        std::vector<std::string> found;
        std::istringstream rest(line);
        for (std::string cell; std::getline(rest, cell, ',');) found.push_back(cell);
        return found;
    };
    std::string line;
    std::getline(in, line);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const auto names = cells(line);
    std::vector<json> rows;
    while (std::getline(in, line)) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        const auto values = cells(line);
        json row;
        for (std::size_t i = 0; i < values.size(); ++i) row[names.at(i)] = values[i];
        rows.push_back(row);
    }
    return rows;
}

std::vector<double> losses_of(const std::filesystem::path& run) {
    std::map<int, std::pair<double, double>> sums;
    for (const auto& row : rows_of(run / "steps.csv")) {
        const auto examples = std::stod(row.at("examples").get<std::string>());
        if (examples == 0.0) continue;  // a node without a share has no loss
        auto& [loss, count] = sums[std::stoi(row.at("step").get<std::string>())];
        loss += std::stod(row.at("loss").get<std::string>()) * examples;
        count += examples;
    }
    std::vector<double> losses;
    for (const auto& [step, sum] : sums) losses.push_back(sum.first / sum.second);
    return losses;
}

std::vector<std::string> global_losses_of(const std::filesystem::path& run) {
    std::vector<std::string> losses;
    for (const auto& row : rows_of(run / "steps.csv")) {
        if (row.at("node") == "0") losses.push_back(row.at("global_loss").get<std::string>());
    }
    return losses;
}

std::string sha256_of_weights(const std::filesystem::path& run) {
    return sha256_of_file(run / "weights.safetensors");
}

void check_same_losses(const std::vector<double>& a, const std::vector<double>& b, std::size_t steps) {
    REQUIRE(a.size() >= steps);
    REQUIRE(b.size() >= steps);
    for (std::size_t i = 0; i < steps; ++i) {
        INFO("step " << i + 1 << ": " << a[i] << " and " << b[i]);
        CHECK(std::abs(a[i] - b[i]) < 1e-4);
    }
}

}  // namespace convoy::test
