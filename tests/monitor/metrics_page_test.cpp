#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "base/files.hpp"
#include "base/json_text.hpp"
#include "monitor/run_metrics.hpp"

using namespace convoy;

namespace {

std::set<std::string> known_names() {
    std::set<std::string> names;
    for (const auto& metric : metric_list()) names.emplace(metric.name);
    return names;
}

/// All expressions of the dashboard.
std::vector<std::string> expressions_of(const nlohmann::json& value) {
    std::vector<std::string> found;
    if (!value.is_structured()) return found;
    for (const auto& [key, member] : value.items()) {
        if (key == "expr") found.push_back(member.get<std::string>());
        for (auto& each : expressions_of(member)) found.push_back(std::move(each));
    }
    return found;
}

}  // namespace

TEST_CASE("the page of metrics lists each metric as it is") {
    const auto page = read_text(METRICS_PAGE);
    std::string rows;
    for (const auto& metric : metric_list())
        rows += fmt::format("| `{}` | {} | {} | {} | {} |\n", metric.name,
                            metric.type == MetricType::counter ? "counter" : "gauge", metric.unit,
                            metric.labels, metric.help);
    INFO(rows);
    CHECK(page.find("| --- | --- | --- | --- | --- |\n" + rows + "\n") != std::string::npos);
}

TEST_CASE("the dashboard asks for metrics that there are") {
    const auto board = parse_json(read_text(DASHBOARD), DASHBOARD);
    const auto names = known_names();
    std::set<std::string> asked;
    const std::regex name("convoy_[a-z_]+");
    const auto expressions = expressions_of(board);
    REQUIRE(expressions.size() > 10);
    for (const auto& text : expressions) {
        INFO(text);
        CHECK(text.find("run=~\"$run\"") != std::string::npos);
        for (std::sregex_iterator found(text.begin(), text.end(), name), end; found != end; ++found)
            asked.insert(found->str());
    }
    for (const auto& each : asked) {
        INFO(each);
        CHECK(names.contains(each));
    }
    std::set<std::int64_t> ids;
    for (const auto& panel : board.at("panels")) CHECK(ids.insert(panel.at("id").get<std::int64_t>()).second);
}
