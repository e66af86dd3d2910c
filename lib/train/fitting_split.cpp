#include "train/fitting_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "spec/parse.hpp"

namespace convoy {
namespace {

/// The need of a spec whose layers are split. Absent: it does not fit, or other fields of the spec exclude
/// the split.
std::optional<RunNeed> need_of_split(const nlohmann::json& json, const DataShape& shape, const Fits& fits) {
    try {
        const auto spec = parse_spec(json);
        auto need = run_need(spec, shape, compile(spec, shape, hosts_of(spec)));
        if (fits(need, spec)) return need;
    } catch (const DataError&) {  // the rules, or no cut that fits
    }
    return std::nullopt;
}

std::int64_t largest(const RunNeed& need) {
    std::int64_t bytes = 0;
    for (const auto& alike : need.classes) bytes = std::max(bytes, alike.each.total());
    return bytes;
}

}  // namespace

std::optional<std::string> fitting_split(const ExperimentSpec& spec, const DataShape& shape,
                                         const Fits& fits) {
    if (spec.strategy.name == StrategyName::model_split) return std::nullopt;
    const auto nodes = spec.world_size();
    for (std::int64_t stages = 2; stages <= nodes; ++stages) {
        if (nodes % stages != 0) continue;
        auto json = to_json(spec);
        json["strategy"] = {{"name", "model_split"}, {"stages", stages}};
        if (nodes > stages) json["strategy"]["replicas"] = nodes / stages;
        const auto need = need_of_split(json, shape, fits);
        if (!need) continue;
        constexpr double megabyte = 1e6;
        return fmt::format(
            "the network fits if its layers are split over the nodes: with \"strategy\": {} the node "
            "that needs the most needs at least {:.1f} MB",
            json["strategy"].dump(), static_cast<double>(largest(*need)) / megabyte);
    }
    return std::nullopt;
}

}  // namespace convoy
