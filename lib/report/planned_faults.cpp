#include "report/planned_faults.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "report/or_null.hpp"

namespace convoy {

std::string fault_text(const PlannedFault& fault) {
    auto text = fmt::format("{} of node {}", fault.kind, fault.node);
    if (fault.step) text += fmt::format(" at step {}", *fault.step);
    if (fault.time_s) text += fmt::format(" after {:.3f} s of training", *fault.time_s);
    if (fault.factor) text += fmt::format(" by factor {}", *fault.factor);
    return text;
}

nlohmann::json planned_faults_json(std::span<const PlannedFault> faults) {
    auto list = nlohmann::json::array();
    for (const auto& fault : faults) {
        list.push_back({{"kind", fault.kind},
                        {"node", fault.node},
                        {"step", or_null(fault.step)},
                        {"time_s", or_null(fault.time_s)},
                        {"factor", or_null(fault.factor)}});
    }
    return list;
}

std::vector<PlannedFault> read_planned_faults(const nlohmann::json& summary, const std::string& source) {
    std::vector<PlannedFault> faults;
    const auto found = summary.find("faults");
    if (found == summary.end()) return faults;
    try {
        if (!found->is_array()) throw DataError("no list");
        for (const auto& fault : *found) {
            faults.push_back({.kind = fault.at("kind").get<std::string>(),
                              .node = integer_of<std::int64_t>(fault.at("node")),
                              .step = read_or_null<std::int64_t>(fault.at("step")),
                              .time_s = read_or_null<double>(fault.at("time_s")),
                              .factor = read_or_null<double>(fault.at("factor"))});
        }
    } catch (const std::exception&) {
        throw DataError(fmt::format(
            "{}: faults: expected a list of faults, each with kind, node, step, time_s, factor", source));
    }
    return faults;
}

}  // namespace convoy
