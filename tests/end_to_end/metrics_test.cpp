#include <fmt/format.h>
#include <signal.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <regex>
#include <stdexcept>

#include "http_get.hpp"
#include "metrics_values.hpp"
#include "monitor/metrics_export.hpp"
#include "small_experiment.hpp"
#include "starters/daemon.hpp"
#include "starters/programs.hpp"

using namespace convoy;
using namespace convoy::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

/// The port that a text names behind some words.
int port_behind(const std::string& text, const std::string& words) {
    const auto found = text.find(words);
    return found == std::string::npos ? 0 : std::atoi(text.c_str() + found + words.size());
}

int metrics_port_of(ConvoyProcess& run) {
    REQUIRE(run.wait_for_error_text("/metrics\n"));
    return port_behind(run.error_text(), "metrics at http://127.0.0.1:");
}

/// A text that a thread of an exporter reads.
class ToldText {
  public:
    void set(std::string text) {
        const std::scoped_lock lock(mutex_);
        text_ = std::move(text);
    }
    std::string get() const {
        const std::scoped_lock lock(mutex_);
        return text_;
    }

  private:
    mutable std::mutex mutex_;
    std::string text_;
};

/// Debian's Prometheus, which scrapes two ports of loopback as the jobs `live` and `final`.
class Prometheus {
  public:
    Prometheus(const std::filesystem::path& folder, int live, int final)
        : log_(folder / "log"), daemon_(words(folder, live, final), log_) {
        daemon_.wait_until([this] { return port() != 0 && !http_get(port(), "/-/ready").empty(); });
    }

    /// The result of an expression.
    json ask(const std::string& expression) const {
        const auto answer = http_get(port(), "/api/v1/query?query=" + percent_encoded(expression));
        if (answer.empty()) throw std::runtime_error("Prometheus refuses " + expression);
        return json::parse(answer).at("data").at("result");
    }
    /// As ask, once there is a result.
    json wait_for(const std::string& expression) const {
        json result;
        INFO(expression);
        daemon_.wait_until([&] {
            result = ask(expression);
            return !result.empty();
        });
        return result;
    }

  private:
    static std::vector<std::string> words(const std::filesystem::path& folder, int live, int final) {
        std::filesystem::create_directory(folder);
        std::ofstream(folder / "prometheus.yml") << fmt::format(
            "global: {{scrape_interval: 100ms, scrape_timeout: 100ms}}\n"
            "scrape_configs:\n"
            "  - {{job_name: live, static_configs: [{{targets: ['127.0.0.1:{}']}}]}}\n"
            "  - {{job_name: final, static_configs: [{{targets: ['127.0.0.1:{}']}}]}}\n",
            live, final);
        return {path_of_program("prometheus"), "--config.file=" + (folder / "prometheus.yml").string(),
                "--storage.tsdb.path=" + (folder / "data").string(), "--web.listen-address=127.0.0.1:0"};
    }
    [[nodiscard]] int port() const {
        return !std::filesystem::exists(log_)
                   ? 0
                   : port_behind(text_of(log_), "\"Listening on\" address=127.0.0.1:");
    }

    std::filesystem::path log_;
    Daemon daemon_;
};

/// The expressions of the dashboard, with values for its variables.
std::vector<std::string> dashboard_expressions() {
    std::vector<std::string> found;
    const auto dashboard = json_of(DASHBOARD);
    for (const auto& panel : dashboard.at("panels"))
        for (const auto& target : panel.at("targets")) {
            auto text = target.at("expr").get<std::string>();
            text = std::regex_replace(text, std::regex(R"(\$(run|node)\b)"), ".*");
            found.push_back(std::regex_replace(text, std::regex(R"(\$__rate_interval)"), "5m"));
        }
    return found;
}

json metrics_spec(int epochs) {
    auto spec = small_spec();
    spec["epochs"] = epochs;
    spec["measure"] = {{"trace_steps", 0}, {"sample_interval_s", 0.05}};
    return spec;
}

/// The last metrics of a run to the folder's "out", which ends with this code.
std::string metrics_of_run(const TemporaryFolder& folder, const json& spec, int code) {
    const auto file = folder / "convoy.prom";
    const auto outcome = run_convoy({"run", write_spec(folder, spec), "--out", (folder / "out").string(),
                                     "--metrics-file", file.string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == code);
    return text_of(file);
}

}  // namespace

TEST_CASE("Prometheus scrapes a run, and at its end has the values of its tables", "[large]") {
    const TemporaryFolder folder;
    const auto out = folder / "out";
    auto spec = long_spec();
    spec["measure"]["sample_interval_s"] = 0.05;
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", out.string(), "--quiet", "--metrics-port",
                       "0", "--metrics-file", (folder / "convoy.prom").string()});
    ToldText told;
    const MetricsExport last({.listen = {{boost::asio::ip::address_v4::loopback(), 0}}},
                             [&told] { return told.get(); });
    const Prometheus prometheus(folder / "prometheus", metrics_port_of(run), last.endpoint()->port());
    prometheus.wait_for("convoy_node_steps_total{job=\"live\",node=\"1\"} > 100");
    CHECK(prometheus.wait_for("up{job=\"live\"}").at(0).at("value").at(1) == "1");
    CHECK(prometheus.wait_for("convoy_run_phase{job=\"live\",phase=~\"train|evaluate\"} == 1").size() == 1);
    prometheus.wait_for("rate(convoy_node_sent_bytes_total{job=\"live\",node=\"0\"}[1m]) > 0");
    for (const auto& expression : dashboard_expressions()) prometheus.wait_for(expression);

    run.signal(SIGINT);
    CHECK(run.wait().code == 130);
    const auto text = text_of(folder / "convoy.prom");
    told.set(text);
    prometheus.wait_for("convoy_run_phase{job=\"final\",phase=\"interrupted\"} == 1");
    std::map<std::string, double> scraped;
    for (const auto& each : prometheus.ask("{job=\"final\",__name__=~\"convoy_.*\"}")) {
        const auto& metric = each.at("metric");
        std::string name = metric.at("__name__");
        for (const auto* label : {"node", "phase", "operator", "part", "mode", "split", "state", "fault"})
            if (metric.contains(label))
                name += fmt::format("{}{}=\"{}\"", name.find('{') == std::string::npos ? "{" : ",", label,
                                    metric.at(label).get<std::string>());
        scraped[name + (name.find('{') == std::string::npos ? "" : "}")] =
            std::stod(each.at("value").at(1).get<std::string>());
        CHECK(metric.at("run") == "out");
    }
    CHECK(scraped.size() == metric_values(text).size());
    const auto expected = values_of_tables(out);
    CHECK(expected.size() > 50);
    for (const auto& [name, value] : expected) {
        INFO(name);
        REQUIRE(scraped.contains("convoy_" + name));
        CHECK_THAT(scraped.at("convoy_" + name), has_value(value));
    }
}

TEST_CASE("metrics of a run that is continued count the steps before") {
    const TemporaryFolder folder;
    auto spec = metrics_spec(100000);
    spec["checkpoints"] = {{"every_steps", 7}};
    const auto file = (folder / "convoy.prom").string();
    const auto out = (folder / "out").string();
    ConvoyProcess first({"run", write_spec(folder, spec), "--out", out});
    REQUIRE(first.wait_for_error_text("epoch 4/"));
    first.signal(SIGINT);
    REQUIRE(first.wait().code == 130);
    const auto steps = rows_of(folder / "out" / "steps.csv").size();
    ConvoyProcess second({"run", write_spec(folder, spec), "--out", out, "--resume", "--metrics-file", file});
    REQUIRE(second.wait_for_error_text("epoch 12/"));  // beyond the end of the first
    second.signal(SIGINT);
    REQUIRE(second.wait().code == 130);
    CHECK(rows_of(folder / "out" / "steps.csv").size() > steps);
    check_metrics(text_of(file), folder / "out");
}

TEST_CASE("metrics of a run that starts again from a checkpoint go back with it") {
    const TemporaryFolder folder;
    auto spec = metrics_spec(6);
    spec["checkpoints"] = {{"every_steps", 7}};
    spec["failures"] = "restart";
    spec["faults"] = json::array({{{"node", 1}, {"step", 25}, {"kind", "kill"}}});
    const auto metrics = metrics_of_run(folder, spec, 0);
    check_metrics(metrics, folder / "out");
    const auto values = metric_values(metrics);
    CHECK(values.at("convoy_run_failures_total{run=\"out\",fault=\"kill\"}") == 1);
    CHECK(values.at("convoy_run_phase{run=\"out\",phase=\"done\"}") == 1);
    CHECK(values.at("convoy_run_step{run=\"out\"}") == 60);
    CHECK(values.at("convoy_run_planned_steps{run=\"out\"}") == 60);
}

TEST_CASE("metrics of a run that goes on with fewer nodes are those of its tables") {
    const TemporaryFolder folder;
    auto spec = metrics_spec(6);
    spec["nodes"] = nodes(3);
    spec["failures"] = "shrink";
    spec["strategy"]["commit"] = "by_step";
    spec["faults"] = json::array({{{"node", 1}, {"step", 25}, {"kind", "kill"}}});
    const auto metrics = metrics_of_run(folder, spec, 0);
    // Of the rank that no node has at the end, the table has what it had told, and the metrics no summary.
    check_metrics(metrics, folder / "out", 2);
    CHECK(metric_values(metrics).at("convoy_run_nodes{run=\"out\"}") == 2);
}

TEST_CASE("the metrics of a run that fails say so") {
    const TemporaryFolder folder;
    auto spec = metrics_spec(6);
    spec["faults"] = json::array({{{"node", 1}, {"step", 25}, {"kind", "kill"}}});
    CHECK(metric_values(metrics_of_run(folder, spec, 74))
              .at("convoy_run_phase{run=\"out\",phase=\"failed\"}") == 1);
}

TEST_CASE("the metrics of a run that is interrupted before its first step say so") {
    const TemporaryFolder folder;
    auto spec = metrics_spec(6);
    spec["nodes"] = nodes(2);
    const auto file = (folder / "convoy.prom").string();
    // Nobody starts the second node.
    ConvoyProcess run({"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--metrics-file",
                       file, "--await", "1"});
    REQUIRE(run.wait_for_error_text("waits for 1 node"));
    CHECK(metric_values(text_of(file)).at("convoy_run_phase{run=\"out\",phase=\"start\"}") == 1);
    run.signal(SIGINT);
    CHECK(run.wait().code == 130);
    CHECK(metric_values(text_of(file)).at("convoy_run_phase{run=\"out\",phase=\"interrupted\"}") == 1);
}

TEST_CASE("nodes with long steps tell them while an epoch lasts") {
    const TemporaryFolder folder;
    auto spec = metrics_spec(1);
    spec["dataset"]["train_examples"] = 12000;
    spec["faults"] = json::array({{{"node", 1}, {"step", 2}, {"kind", "slow"}, {"factor", 500}}});
    ConvoyProcess run(
        {"run", write_spec(folder, spec), "--out", (folder / "out").string(), "--metrics-port", "0"});
    const auto port = metrics_port_of(run);
    const std::string name = "convoy_node_steps_total{run=\"out\",node=\"0\"}";
    double steps = 0;
    REQUIRE(run.wait_until([&] {
        const auto values = metric_values(http_get(port, "/metrics"));
        steps = values.contains(name) ? values.at(name) : 0;
        return steps > 0;
    }));
    CHECK(steps < 256);
    run.end_by(SIGKILL);
}

TEST_CASE("metrics that cannot be had end a run before its nodes start") {
    const TemporaryFolder folder;
    const auto spec = write_spec(folder, small_spec());
    const auto out = (folder / "out").string();
    const auto check = [&](std::vector<std::string> words, int code, const std::string& line) {
        words.insert(words.begin(), {"run", spec, "--out", out});
        const auto outcome = run_convoy(words);
        CHECK(outcome.code == code);
        CHECK_THAT(outcome.err, Contains(line));
        CHECK_FALSE(std::filesystem::exists(out + ".partial"));
        CHECK_FALSE(std::filesystem::exists(out));
    };
    check({"--metrics-port", "65536"}, 64,
          "--metrics-port: found \"65536\", expected a port from 0 to 65535");
    check({"--metrics-port", "http"}, 64, "--metrics-port: found \"http\"");
    check({"--metrics-port", "-1"}, 64, "--metrics-port: found \"-1\"");
    check({"--metrics-address", "127.0.0.1"}, 64, "--metrics-address: goes with --metrics-port");
    check({"--metrics-port", "0", "--metrics-address", "203.0.113.7"}, 69, "--metrics-address: ");
    check({"--metrics-file", (folder / "none" / "a.prom").string()}, 73, "--metrics-file: ");
    const MetricsExport other({.listen = {{boost::asio::ip::address_v4::loopback(), 0}}}, [] { return ""; });
    const auto taken = std::to_string(other.endpoint()->port());
    check({"--metrics-port", taken}, 69, "cannot listen at port " + taken + " of 127.0.0.1");
}
