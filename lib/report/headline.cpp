#include "report/headline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <vector>

#include "base/count_text.hpp"
#include "base/json_integer.hpp"
#include "base/json_text.hpp"
#include "report/batch_shares.hpp"
#include "report/figures.hpp"
#include "report/html.hpp"
#include "report/measurement.hpp"
#include "report/planned_faults.hpp"
#include "report/time_unit.hpp"

namespace convoy {

namespace {

using nlohmann::json;

json parsed(const std::string& text) {
    return json_or_null(text);
}

/// The value at a path such as "/model/name"; null if there is none.
json value_at(const json& value, const char* path) {
    const json::json_pointer place(path);
    return value.is_structured() && value.contains(place) ? value.at(place) : json();
}

std::string text_at(const json& value, const char* path) {
    const auto found = value_at(value, path);
    return found.is_string() ? found.get<std::string>() : "";
}

std::string network_in_words(const json& spec) {
    if (const auto layers = value_at(spec, "/model/layers"); layers.is_array())
        return fmt::format("a network of {}", count_text(layers.size(), "layer"));
    auto name = text_at(spec, "/model/name");
    if (name.empty()) return "a network";
    const auto depth = value_at(spec, "/model/depth");
    return is_integer_of<std::int64_t>(depth) ? fmt::format("{} of depth {}", name, depth.get<std::int64_t>())
                                              : name;
}

/// Lines that each end in a line feed.
std::string html_lines(const std::string& lines) {
    std::istringstream in(lines);
    std::string html;
    for (std::string line; std::getline(in, line);)
        html += (html.empty() ? "" : "<br>") + html_escaped(line) + ".";
    return html;
}

/// The same with a capital letter at its begin. The text is not empty.
std::string capitalised(std::string text) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
    return text;
}

/// A box with one answer.
struct Tile {
    std::string question, answer, more;
    bool warns = false;
};

std::string html_tile(const Tile& tile) {
    return fmt::format("<div{}><dt>{}</dt><dd><b>{}</b>{}</dd></div>\n", tile.warns ? " class=\"warns\"" : "",
                       html_escaped(tile.question), html_escaped(tile.answer), html_escaped(tile.more));
}

std::string trust_in_words(Verdict verdict) {
    switch (verdict) {
        case Verdict::quiet: return "yes: quiet";
        case Verdict::noisy: return "with care: noisy";
        case Verdict::invalid: break;
    }
    return "no: invalid";
}

Tile trust_tile(const RunResults& results) {
    const auto found = measurement_of(results);
    if (!found) return {"Are the times to be trusted?", "not known", "A node did not tell what it saw."};
    Tile tile{"Are the times to be trusted?", trust_in_words(found->verdict), {}, true};
    if (found->verdict == Verdict::quiet) {
        tile.more = "Nothing was found that spoils the times.";
        tile.warns = false;
    }
    for (const auto& [cause, remedy] : found->causes)
        tile.more += fmt::format("{}{}; {}", tile.more.empty() ? "" : ". Also: ", cause, remedy);
    if (!found->causes.empty()) tile.more += '.';
    if (const auto slow = slow_core_text(results, found->verdict); !slow.empty())
        tile.more += fmt::format(" {}.", capitalised(slow));
    return tile;
}

Tile limit_tile(const StepFindings& found) {
    return {
        "What limited the run?", found.limit_text(),
        fmt::format(
            "Of the step time{}, computation took {:.0f}%, the network {:.0f}%, waiting for slower nodes "
            "{:.0f}%, waiting for data {:.0f}%, work between operators {:.0f}%. All steps count, also the "
            "first, which are slower.",
            found.slow_node() != nullptr ? " of the other nodes" : "", found.computation_pct,
            found.network_pct, found.slower_nodes_pct, found.data_pct, found.between_operators_pct)};
}

/// "12% longer than", or "20 times as long as" where it is twice the time or more.
std::string length_text(const SlowestNode& node) {
    const auto times = node.own_us / node.others_us;
    return times >= 2.0 ? fmt::format("{:.1f} times as long as", times)
                        : fmt::format("{:.0f}% longer than", node.more_pct());
}

Tile slowest_tile(const StepBreakdown& breakdown, const StepFindings& found) {
    Tile tile{"Which node was slow?", "none", {}};
    if (!found.slowest) {
        tile.more = breakdown.nodes.size() == 1 ? "There is one node." : "No two nodes do the same work.";
        return tile;
    }
    const auto& node = *found.slowest;
    if (node.stands_out()) tile.answer = fmt::format("node {}: {} others", node.node, length_text(node));
    tile.more = fmt::format("Without waiting, node {} took {} a step; the median of the other nodes is {}.",
                            node.node, time_text(node.own_us), time_text(node.others_us));
    return tile;
}

Tile hidden_tile(const StepBreakdown& breakdown, const StepFindings& found) {
    constexpr auto question = "How much communication was hidden?";
    if (!found.hidden_pct) return {question, "none", "There was no communication."};
    const auto all = breakdown.all_exchanges();
    return {question, fmt::format("{:.0f}%", *found.hidden_pct),
            fmt::format("In a step, {} of communication were hidden behind computation. During {} the step "
                        "waited (exposed).",
                        time_text(all.hidden_us), time_text(all.exposed_us()))};
}

Tile speed_tile(const StepFigures& speed) {
    const auto per_second = speed.examples_per_second_mean;
    return {"How fast?",
            per_second < 100.0 ? fmt::format("{:.3g} examples/s", per_second)
                               : fmt::format("{:.0f} examples/s", per_second),
            fmt::format("Median step {}, 99% up to {}.", time_text(speed.step_us.p50),
                        time_text(speed.step_us.p99))};
}

Tile result_tile(const EpochRecord& last) {
    Tile tile{"With which result?", {}, {}};
    const auto add = [&tile](const char* split, const std::optional<double>& loss,
                             const std::optional<double>& accuracy) {
        if (accuracy && tile.answer.empty())
            tile.answer = fmt::format("{:.2f}% right ({})", 100.0 * *accuracy, split);
        if (loss) tile.more += fmt::format("{}{} loss {:.4g}", tile.more.empty() ? "" : ", ", split, *loss);
    };
    add("test", last.test_loss, last.test_accuracy);
    add("validation", last.validation_loss, last.validation_accuracy);
    add("train", last.train_loss, last.train_accuracy);
    if (tile.answer.empty()) tile.answer = "no accuracy";
    tile.more += fmt::format("{}after epoch {}.", tile.more.empty() ? "" : ", ", last.epoch);
    return tile;
}

/// The first faults of a spec in a sentence. There is at least one.
std::string faults_in_words(std::span<const PlannedFault> faults) {
    constexpr std::size_t most = 4;
    const auto told = faults.first(std::min(most, faults.size()));
    std::vector<std::string> words(told.size());
    std::ranges::transform(told, words.begin(), fault_text);
    if (faults.size() > most) words.push_back(fmt::format("{} more", faults.size() - most));
    return fmt::format("The spec has faults, which harm nodes on purpose: {}.", fmt::join(words, "; "));
}

}  // namespace

std::string run_in_words(const RunResults& results, const std::string& spec) {
    const auto fields = parsed(spec);
    std::vector<std::string> words{count_text(results.nodes, "node")};
    if (const auto strategy = text_at(fields, "/strategy/name"); !strategy.empty()) words.push_back(strategy);
    words.push_back(fmt::format("batch {}", results.batch_size));
    if (const auto optimizer = text_at(fields, "/optimizer/name"); !optimizer.empty())
        words.push_back(optimizer);
    words.push_back(count_text(std::ssize(results.epochs), "epoch"));
    const auto dataset = text_at(fields, "/dataset/name");
    return fmt::format("{}{}: {}", network_in_words(fields), dataset.empty() ? "" : " on " + dataset,
                       fmt::join(words, ", "));
}

std::string machines_in_words(const RunResults& results, const std::string& environment) {
    const auto fields = parsed(environment);
    std::vector<std::string> words;
    for (const auto* path : {"/host", "/cpu/model"})
        if (auto text = text_at(fields, path); !text.empty()) words.push_back(std::move(text));
    if (const auto cores = value_at(fields, "/cpu/usable_cores"); is_integer_of<std::int64_t>(cores))
        words.push_back(count_text(cores.get<std::int64_t>(), "usable core"));
    if (results.cluster) words.push_back(results.cluster->text());
    auto text = fmt::format("{}", fmt::join(words, ", "));
    if (results.summaries.empty()) return text;
    const auto [least, most] = std::ranges::minmax(results.summaries, {}, &NodeSummary::threads);
    const auto threads = least.threads == most.threads
                             ? count_text(most.threads, "thread")
                             : fmt::format("{} to {} threads", least.threads, most.threads);
    return fmt::format("{}{}{} a node", text, text.empty() ? "" : "; ", threads);
}

std::string findings_in_words(const StepBreakdown& breakdown, const std::optional<StepFindings>& findings) {
    if (!findings) return "";
    const auto* const slow = findings->slow_node();
    auto text =
        capitalised(fmt::format("{} limited this run: {:.0f}% of the step time{}.", findings->limit_text(),
                                findings->limit_pct(), slow != nullptr ? " of the other nodes" : ""));
    if (slow != nullptr) {
        text += fmt::format(" Node {} was the slowest: its own work took {} that of the others.", slow->node,
                            length_text(*slow));
    } else if (findings->slowest) {
        text += " No node was slower than the others by 5% or more.";
    }
    if (findings->hidden_pct) {
        text += fmt::format(" {:.0f}% of the communication was hidden behind computation.",
                            *findings->hidden_pct);
    } else if (breakdown.nodes.size() == 1) {
        text += " One node has no communication.";
    }
    return text;
}

std::string html_headline(const RunResults& results, const StepBreakdown& breakdown, const std::string& spec,
                          const std::string& environment) {
    const auto findings = step_findings(breakdown);
    std::string html = fmt::format(
        "<p>{}.<br>{}.<br>Run {}{}.</p>\n", html_escaped(run_in_words(results, spec)),
        html_escaped(machines_in_words(results, environment)), html_escaped(results.run_id),
        results.status == RunStatus::done ? "" : fmt::format(", {}", run_status_name(results.status)));
    const auto trust = measurement_of(results);
    const auto doubt =
        !trust || trust->verdict == Verdict::quiet
            ? std::string()
            : fmt::format("The times are {}, see below. As far as they tell: ", verdict_name(trust->verdict));
    if (const auto words = findings_in_words(breakdown, findings); !words.empty())
        html += fmt::format("<p><b>{}{}</b></p>\n", doubt, html_escaped(words));
    if (!results.faults.empty())
        html += fmt::format("<p>{}</p>\n", html_escaped(faults_in_words(results.faults)));
    if (results.balance) html += fmt::format("<p>{}</p>\n", html_lines(shares_lines(results)));
    html += "<dl class=\"tiles\">\n" + html_tile(trust_tile(results));
    if (findings) html += html_tile(limit_tile(*findings)) + html_tile(slowest_tile(breakdown, *findings));
    if (findings) html += html_tile(hidden_tile(breakdown, *findings));
    if (const auto speed = step_figures(results.steps, results.nodes)) html += html_tile(speed_tile(*speed));
    if (!results.epochs.empty()) html += html_tile(result_tile(results.epochs.back()));
    return html + "</dl>\n";
}

}  // namespace convoy
