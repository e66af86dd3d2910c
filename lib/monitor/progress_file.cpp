#include "monitor/progress_file.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"
#include "report/partial_header.hpp"
#include "report/run_folder_format.hpp"

namespace convoy {

namespace {

/// For each of the most ranks of a run a line of this length, which is more than it takes.
constexpr std::size_t most_progress_bytes = most_ranks * 256;

/// JSON has no number for the loss of training that diverges.
double figure(const nlohmann::json& told, const char* key) {
    const auto& value = told.at(key);
    return value.is_null() ? std::nan("") : value.get<double>();
}

NodeProgress place_of(const nlohmann::json& told) {
    NodeProgress progress;
    progress.rank = integer_of<std::int64_t>(told.at("node"));
    progress.phase = told.at("phase").get<std::string>();
    progress.epoch = integer_of<std::int64_t>(told.at("epoch"));
    progress.step = integer_of<std::int64_t>(told.at("step"));
    return progress;
}

RunProgress progress_of(const nlohmann::json& told) {
    RunProgress progress{.shown = place_of(told), .nodes = {}};
    progress.shown.epochs = integer_of<std::int64_t>(told.at("epochs"));
    progress.shown.steps = integer_of<std::int64_t>(told.at("steps"));
    progress.shown.loss = figure(told, "loss");
    progress.shown.accuracy = figure(told, "accuracy");
    progress.shown.examples_per_second = figure(told, "examples_per_second");
    if (!told.contains("nodes")) return progress;  // of an older version
    for (const auto& each : told.at("nodes")) {
        auto node = place_of(each);
        if (node.rank >= 0 && node.rank < most_ranks) progress.nodes[node.rank] = std::move(node);
    }
    return progress;
}

}  // namespace

std::string progress_file_text(const NodeProgress& shown, const std::map<std::int64_t, NodeProgress>& nodes) {
    auto list = nlohmann::json::array();
    for (const auto& [rank, node] : nodes)
        list.push_back({{"node", rank}, {"phase", node.phase}, {"epoch", node.epoch}, {"step", node.step}});
    const nlohmann::json figures{{"phase", shown.phase},
                                 {"epoch", shown.epoch},
                                 {"epochs", shown.epochs},
                                 {"step", shown.step},
                                 {"steps", shown.steps},
                                 {"node", shown.rank},
                                 {"loss", shown.loss},
                                 {"accuracy", shown.accuracy},
                                 {"examples_per_second", shown.examples_per_second},
                                 {"nodes", std::move(list)}};
    return figures.dump() + "\n";
}

std::optional<RunProgress> parse_progress(std::string_view text) {
    try {
        return progress_of(parse_json(text, "progress"));
    } catch (const DataError&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

std::optional<RunProgress> read_progress_file(const std::filesystem::path& partial) {
    try {
        return parse_progress(read_file_text(partial / progress_file, most_progress_bytes));
    } catch (const Error&) {
        return std::nullopt;
    }
}

}  // namespace convoy
