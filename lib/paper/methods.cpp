#include "paper/methods.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include "base/count_text.hpp"
#include "base/json_integer.hpp"
#include "base/printable.hpp"
#include "paper/archive_text.hpp"
#include "report/latex.hpp"
#include "report/run_record.hpp"
#include "report/summary.hpp"

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::size_t shown_digits = 16;  ///< of a digest; the archive has all 64

std::string known(const std::string& text) {
    return text.empty() ? "unknown" : text;
}

/// A text of each run; those that several runs have count once. In order of the runs.
std::vector<std::string> distinct(const SettledSweep& sweep,
                                  const std::function<std::string(const SettledRun&)>& text_of) {
    std::vector<std::string> all;
    for (const auto& run : sweep.runs) {
        auto text = text_of(run);
        if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
    }
    return all;
}

/// How the runs of a sweep were started, as their command lines tell it.
std::string order_sentence(const SettledSweep& sweep) {
    const auto is_of_sweep = [](const SettledRun& run) {
        const json::json_pointer subcommand("/command/1");
        return run.environment.contains(subcommand) && run.environment.at(subcommand) == "sweep";
    };
    if (std::ranges::all_of(sweep.runs, is_of_sweep))
        return "The settings of each repeat were trained in a drawn order, and each repeat had a seed of its "
               "own.";
    return "Each repeat had a seed of its own.";
}

std::string runs_sentence(const SettledSweep& sweep) {
    const auto settings = distinct(sweep, [](const SettledRun& run) { return json(run.settings).dump(); });
    std::map<std::string, std::size_t> runs_of;
    for (const auto& run : sweep.runs) ++runs_of[json(run.settings).dump()];
    std::size_t least = sweep.runs.size();
    std::size_t most = 0;
    for (const auto& [setting, count] : runs_of) {
        least = std::min(least, count);
        most = std::max(most, count);
    }
    std::string varied;
    for (std::size_t i = 0; i < sweep.fields.size(); ++i) {
        const auto values = distinct(sweep, [i](const SettledRun& run) { return run.settings[i]; });
        varied += fmt::format("{}{} ({})", i == 0 ? " of " : ", ", sweep.fields[i], fmt::join(values, ", "));
    }
    const auto each = least == most ? fmt::format("n = {}", least) : fmt::format("n = {} to {}", least, most);
    const auto& rule = sweep.repetition_rule;
    return fmt::format("We ran the sweep {} ({}): {}{}, {} of {} done, {} for each setting. {}{}{}",
                       sweep.name, sweep.id, count_text(settings.size(), "setting"), varied,
                       sweep.runs.size(), count_text(sweep.planned, "run"), each, rule,
                       rule.empty() ? "" : " ", order_sentence(sweep));
}

/// "48", "48 or 96": what the runs have of something, in their order.
std::string either(const SettledSweep& sweep, const std::function<std::string(const SettledRun&)>& text_of) {
    return fmt::format("{}", fmt::join(distinct(sweep, text_of), " or "));
}

/// A number or a word of a run's spec, as text; empty if there is none, or null.
std::string field_of(const SettledRun& run, const char* pointer) {
    const json::json_pointer place(pointer);
    if (!run.spec.contains(place) || run.spec.at(place).is_null()) return "";
    const auto& value = run.spec.at(place);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string network_of(const SettledRun& run) {
    const auto name = field_of(run, "/model/name");
    if (name.empty()) return "a network that its spec describes layer by layer";
    const auto depth = field_of(run, "/model/depth");
    return depth.empty() ? name : fmt::format("{} of depth {}", name, depth);
}

/// "1 step", "12 epochs": a count of a spec or of a summary with its unit; empty if there is none, or null.
std::string count_at(const json& from, const char* pointer, std::string_view noun) {
    const json::json_pointer place(pointer);
    if (!from.contains(place) || !is_integer_of<std::size_t>(from.at(place))) return "";
    return count_text(from.at(place).get<std::size_t>(), noun);
}

/// The same; "unknown epochs" if there is none.
std::string known_count(const json& from, const char* pointer, std::string_view noun) {
    const auto text = count_at(from, pointer, noun);
    return text.empty() ? fmt::format("unknown {}s", noun) : text;
}

/// A text with all of its limits in brackets behind it.
std::string limited(const std::string& text, const std::vector<std::string>& limits) {
    return limits.empty() ? text : fmt::format("{} ({})", text, fmt::join(limits, "; "));
}

/// With the numbers of examples, if the spec limits them.
std::string dataset_of(const SettledRun& run) {
    std::vector<std::string> limits;
    const auto train = count_at(run.spec, "/dataset/train_examples", "training example");
    const auto validation = field_of(run, "/dataset/validation_fraction");
    const auto test = count_at(run.spec, "/dataset/test_examples", "test example");
    if (!train.empty()) limits.push_back(train);
    if (!validation.empty() && validation != "0.0")
        limits.push_back(fmt::format("a share of {} of the training examples for validation", validation));
    if (!test.empty()) limits.push_back(test);
    return limited(known(field_of(run, "/dataset/name")), limits);
}

/// The epochs of a run, and each thing that may end it earlier.
std::string length_of(const SettledRun& run) {
    std::vector<std::string> limits;
    if (const auto steps = count_at(run.spec, "/max_steps", "step"); !steps.empty())
        limits.push_back("at most " + steps);
    if (field_of(run, "/target/stop") == "true")
        limits.push_back(fmt::format("until {} accuracy {}", known(field_of(run, "/target/split")),
                                     known(field_of(run, "/target/accuracy"))));
    if (const auto patience = count_at(run.spec, "/early_stopping/patience", "epoch"); !patience.empty())
        limits.push_back(fmt::format("early stopping after {} without a better validation loss", patience));
    return limited((limits.empty() ? "" : "at most ") + known_count(run.spec, "/epochs", "epoch"), limits);
}

std::string optimizer_of(const SettledRun& run) {
    const auto schedule = field_of(run, "/schedule/name");
    const bool constant = schedule.empty() || schedule == "constant";
    return fmt::format("{} (learning rate {}{})", known(field_of(run, "/optimizer/name")),
                       known(field_of(run, "/optimizer/learning_rate")),
                       constant ? "" : fmt::format(", schedule {}", schedule));
}

/// In spec.json nodes are a number or a list; in summary.json they are always a number.
std::string nodes_of(const SettledRun& run) {
    return known_count(run.summary, "/nodes", "node");
}

std::string training_sentence(const SettledSweep& sweep) {
    const auto field = [](const char* pointer) {
        return [pointer](const SettledRun& run) { return known(field_of(run, pointer)); };
    };
    return fmt::format("A run trained {} on {} in batches of {} examples for {}, with {}, by {} on {}.",
                       either(sweep, network_of), either(sweep, dataset_of),
                       either(sweep, field("/batch_size")), either(sweep, length_of),
                       either(sweep, optimizer_of), either(sweep, field("/strategy/name")),
                       either(sweep, nodes_of));
}

/// Where the nodes of a run were.
enum class Machines : std::uint8_t { unknown, one, several };

/// Of a run with one node: unknown, since it has no other to share a machine with.
Machines machines_of(const SettledRun& run) {
    const auto nodes = run.environment.value("nodes", json::array());
    if (!nodes.is_array() || nodes.size() < 2) return Machines::unknown;
    const auto first = text_in(nodes.front(), "/host");
    if (first.empty()) return Machines::unknown;
    return std::ranges::all_of(nodes, [&](const json& node) { return text_in(node, "/host") == first; })
               ? Machines::one
               : Machines::several;
}

std::string machines_sentence(const SettledSweep& sweep, const std::vector<std::string>& machines) {
    const auto shared = std::ranges::count(sweep.runs, Machines::one, machines_of);
    const auto apart = std::ranges::count(sweep.runs, Machines::several, machines_of);
    const auto* whose = apart == 0 ? "a run" : "some runs";
    return fmt::format(
        "The nodes ran on {}.{}", fmt::join(machines, ", and "),
        shared == 0 ? "" : fmt::format(" The nodes of {} were processes of one machine.", whose));
}

std::string build_sentence(const SettledSweep& sweep) {
    const auto builds = distinct(sweep, [](const SettledRun& run) {
        return fmt::format(
            "convoy {} (commit {}; {}; {}; oneDNN {})", known(text_in(run.environment, "/versions/convoy")),
            known(text_in(run.environment, "/build/commit")), known(text_in(run.environment, "/compiler")),
            known(text_in(run.environment, "/build/options")),
            known(text_in(run.environment, "/versions/onednn")));
    });
    return fmt::format("All figures are measured by {}.", fmt::join(builds, ", and by "));
}

std::string machine_of(const SettledRun& run) {
    const auto number = [&run](const char* pointer) {
        const json::json_pointer place(pointer);
        return run.environment.contains(place) && run.environment.at(place).is_number()
                   ? run.environment.at(place).get<double>()
                   : 0.0;
    };
    auto text = fmt::format("{} with {:.0f} cores ({:.0f} usable), {:.1f} GB of memory and {}",
                            known(text_in(run.environment, "/cpu/model")), number("/cpu/cores"),
                            number("/cpu/usable_cores"), number("/memory_bytes") / 1e9,
                            known(text_in(run.environment, "/kernel")));
    RunResults results;
    read_summary_json(run.summary, run.folder, results);
    return results.cluster ? fmt::format("{} on {}", results.cluster->text(), text) : text;
}

std::string data_sentence(const SettledSweep& sweep) {
    const auto files = distinct(sweep, [](const SettledRun& run) {
        std::vector<std::string> texts;
        const auto data = run.environment.value("data", json::array());
        for (const auto& file : data)
            texts.push_back(fmt::format("{} ({}…)", text_in(file, "/file"),
                                        text_in(file, "/sha256").substr(0, shown_digits)));
        return fmt::format("{}", fmt::join(texts, ", "));
    });
    std::vector<std::string> named;
    std::ranges::copy_if(files, std::back_inserter(named), [](const auto& text) { return !text.empty(); });
    if (named.empty()) return "The examples are drawn by convoy itself, from the seed of the run.";
    return fmt::format("The data are (with the beginning of each SHA-256) {}.", fmt::join(named, ", and "));
}

std::string verdict_sentence(const SettledSweep& sweep) {
    std::map<std::string, std::size_t> verdicts;
    for (const auto& run : sweep.runs) ++verdicts[text_in(run.summary, "/measurement/verdict")];
    const auto silent = verdicts[""];
    const auto all = sweep.runs.size();
    if (silent == all) return "Whether other work disturbed the runs is not known.";
    if (verdicts["quiet"] == all)
        return fmt::format("convoy judged the measurement of all {} quiet.", count_text(all, "run"));
    return fmt::format("convoy judged the measurement of {} of {} quiet, of {} noisy and of {} invalid{}.",
                       verdicts["quiet"], count_text(all, "run"), verdicts["noisy"], verdicts["invalid"],
                       silent > 0 ? fmt::format("; {} tell nothing", silent) : "");
}

/// Markdown prints the characters of names as they are.
std::string markdown_escaped(std::string_view text) {
    constexpr std::string_view special = "\\`*_[]<>#|";
    std::string escaped;
    const auto shown = printable(text);
    for (const char letter : shown) {
        if (special.find(letter) != std::string_view::npos) escaped += '\\';
        escaped += letter;
    }
    return escaped;
}

}  // namespace

std::vector<std::string> methods(const SettledSweep& sweep) {
    constexpr auto statistics =
        "Figures are medians over the runs of a setting, with the least and the greatest value in brackets.";
    const auto machines = distinct(sweep, machine_of);
    return {runs_sentence(sweep),   training_sentence(sweep),
            build_sentence(sweep),  machines_sentence(sweep, machines),
            data_sentence(sweep),   statistics,
            verdict_sentence(sweep)};
}

std::string methods_latex(const SettledSweep& sweep) {
    std::string text;
    for (const auto& sentence : methods(sweep)) text += latex_escaped(sentence) + "\n";
    return text;
}

std::string methods_markdown(const SettledSweep& sweep) {
    std::string text;
    for (const auto& sentence : methods(sweep)) text += markdown_escaped(sentence) + "\n";
    return text;
}

}  // namespace convoy
