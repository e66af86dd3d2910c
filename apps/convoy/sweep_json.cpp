#include "sweep_json.hpp"

#include <nlohmann/json.hpp>

#include "base/path_text.hpp"
#include "report/render.hpp"
#include "sweep/repetition.hpp"
#include "sweep/sweep_tables.hpp"

namespace convoy {
namespace {

using nlohmann::json;

json run_json(const Sweep& sweep, const SweepRun& run, const SweepEntry& entry) {
    auto settings = json::object();
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) {
        const auto& text = run.settings[i];
        settings[sweep.axes[i].field] = json::accept(text) ? json::parse(text) : json(text);
    }
    json about{{"run_id", run.run_id},
               {"settings", std::move(settings)},
               {"repeat", run.repeat},
               {"seed", run.spec.seed},
               {"state", run_state_name(entry.state)}};
    if (entry.state == RunState::failed) about["code"] = entry.code;
    if (!entry.error.empty()) about["message"] = text_of_path(entry.error);
    return about;
}

}  // namespace

json sweep_list_json(const Sweep& sweep, std::span<const SweepEntry> entries,
                     const std::filesystem::path& folder) {
    auto runs = json::array();
    for (std::size_t i = 0; i < sweep.runs.size(); ++i) {
        if (!is_spare(sweep, i, entries[i])) runs.push_back(run_json(sweep, sweep.runs[i], entries[i]));
    }
    return {{"name", sweep.name},
            {"sweep_id", sweep.id},
            {"folder", text_of_path(folder)},
            {"runs", std::move(runs)}};
}

json sweep_end_json(const Sweep& sweep, std::span<const SweepEntry> entries,
                    const std::filesystem::path& folder) {
    auto content = sweep_list_json(sweep, entries, folder);
    content["medians"] = json::parse(to_json_text(medians_data(sweep, entries))).at("rows");
    return content;
}

}  // namespace convoy
