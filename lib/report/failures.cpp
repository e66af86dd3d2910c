#include "report/failures.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "report/columns.hpp"
#include "report/or_null.hpp"

namespace convoy {

namespace {

template <typename Value>
Cell or_empty(const std::optional<Value>& value) {
    return value ? Cell(*value) : Cell();
}

NodeFailure read_failure(const nlohmann::json& found) {
    return {.time = found.at("time").get<std::string>(),
            .node = read_or_null<std::int64_t>(found.at("node")),
            .step = integer_of<std::int64_t>(found.at("step")),
            .cause = found.at("cause").get<std::string>(),
            .detected_after_s = read_or_null<double>(found.at("detected_after_s")),
            .first_step_after_s = read_or_null<double>(found.at("first_step_after_s")),
            .steps_lost = integer_of<std::int64_t>(found.at("steps_lost")),
            .replaced_after_s = read_or_null<double>(found.value("replaced_after_s", nlohmann::json())),
            .fault = found.value("fault", ""),
            .fault_step = read_or_null<std::int64_t>(found.value("fault_step", nlohmann::json())),
            .agreed_after_s = read_or_null<double>(found.value("agreed_after_s", nlohmann::json())),
            .examples_lost = integer_of<std::int64_t>(found.value("examples_lost", nlohmann::json(0)))};
}

}  // namespace

Table failures_table(const RunResults& results) {
    using namespace columns;
    // Where workers take steps apart, all rows keep the ranks of the beginning.
    Table table{"failures",
                results.updates.empty()
                    ? "Nodes that were lost or had a fault, with the ranks that they had then"
                    : "Nodes that were lost or had a fault",
                {},
                {}};
    table.columns = {words("time"),
                     words("fault"),
                     count("node"),
                     count("step"),
                     seconds_in_ms("detected_after"),
                     seconds_in_ms("agreed_after"),
                     seconds("first_step_after"),
                     count("steps_lost"),
                     count("examples_lost"),
                     seconds("replaced_after"),
                     words("cause")};
    for (const auto& failure : results.failures) {
        table.rows.push_back({failure.time, failure.fault, or_empty(failure.node), failure.step,
                              or_empty(failure.detected_after_s), or_empty(failure.agreed_after_s),
                              or_empty(failure.first_step_after_s), failure.steps_lost, failure.examples_lost,
                              or_empty(failure.replaced_after_s), failure.cause});
    }
    return table;
}

nlohmann::json failures_json(std::span<const NodeFailure> failures) {
    auto list = nlohmann::json::array();
    for (const auto& failure : failures) {
        list.push_back({{"time", failure.time},
                        {"node", or_null(failure.node)},
                        {"step", failure.step},
                        {"cause", failure.cause},
                        {"detected_after_s", or_null(failure.detected_after_s)},
                        {"first_step_after_s", or_null(failure.first_step_after_s)},
                        {"steps_lost", failure.steps_lost},
                        {"replaced_after_s", or_null(failure.replaced_after_s)},
                        {"fault", failure.fault},
                        {"fault_step", or_null(failure.fault_step)},
                        {"agreed_after_s", or_null(failure.agreed_after_s)},
                        {"examples_lost", failure.examples_lost}});
    }
    return list;
}

std::vector<NodeFailure> read_failures(const nlohmann::json& summary, const std::string& source) {
    std::vector<NodeFailure> failures;
    const auto found = summary.find("failures");
    if (found == summary.end()) return failures;
    try {
        if (!found->is_array()) throw DataError("no list");
        for (const auto& failure : *found) failures.push_back(read_failure(failure));
    } catch (const std::exception&) {
        throw DataError(
            fmt::format("{}: failures: expected a list of lost nodes, each with time, node, step, "
                        "cause, detected_after_s, first_step_after_s, steps_lost",
                        source));
    }
    return failures;
}

}  // namespace convoy
