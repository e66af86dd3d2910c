#include "sweep/repetition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/count_text.hpp"
#include "base/random.hpp"
#include "measure/median_interval.hpp"
#include "measure/outliers.hpp"
#include "report/undisturbed_steps.hpp"
#include "sweep/alike_cores.hpp"

namespace convoy {
namespace {

/// A number of a run's summary; absent if the run is not done.
std::optional<double> number_of(const SweepEntry& entry, const char* pointer_text) {
    if (entry.state != RunState::done) return std::nullopt;
    const nlohmann::json::json_pointer pointer(pointer_text);
    if (!entry.summary.contains(pointer) || !entry.summary.at(pointer).is_number()) return std::nullopt;
    return entry.summary.at(pointer).get<double>();
}

/// The median step times of one setting's runs that are done, and the position of each run.
struct StepTimes {
    std::vector<std::size_t> runs;
    std::vector<double> times_us;
    std::vector<double> quick_looks_us;  ///< at the cores, of the runs that were undisturbed enough
    bool any_failed = false;
    bool any_undisturbed_time = false;  ///< a run had steps enough for a time of undisturbed ones

    /// Whether there may be so many runs that count as undisturbed: the steps of a run are enough for a time
    /// of undisturbed ones, as far as is known.
    [[nodiscard]] bool may_be_undisturbed(std::int64_t wanted) const {
        return any_undisturbed_time || std::ssize(runs) < wanted;
    }
    /// The runs whose cores were in this range.
    [[nodiscard]] std::int64_t undisturbed(const std::optional<AlikeCores>& range) const {
        const auto is_in = [&](double look_us) { return range && range->contains(look_us); };
        return std::ranges::count_if(quick_looks_us, is_in);
    }
};

/// Of the repeats before `end`. entry_of: gives an entry, or a reference to one, by the run's position.
template <typename EntryOf>
StepTimes step_times_of(const Sweep& sweep, std::size_t setting, std::int64_t end, const EntryOf& entry_of) {
    StepTimes found;
    for (std::int64_t repeat = 0; repeat < end; ++repeat) {
        const auto run = sweep.position(setting, repeat);
        const auto& entry = entry_of(run);
        found.any_failed |= entry.state == RunState::failed;
        const auto look = number_of(entry, "/measurement/core_look_us");
        if (look && *look > 0.0 && number_of(entry, "/step_us/undisturbed")) {
            found.any_undisturbed_time = true;
            if (is_undisturbed_enough(number_of(entry, "/measurement/undisturbed_pct")))
                found.quick_looks_us.push_back(*look);
        }
        const auto time = number_of(entry, "/step_us/p50");
        if (!time) continue;
        found.runs.push_back(run);
        found.times_us.push_back(*time);
    }
    return found;
}

/// The step times of a setting, of all its repeats.
StepTimes step_times_of(const Sweep& sweep, std::size_t setting, std::span<const SweepEntry> entries) {
    return step_times_of(sweep, setting, sweep.most_repeats,
                         [&](std::size_t run) -> const SweepEntry& { return entries[run]; });
}

/// "batch_size=32 nodes=2", or "all runs" of a sweep without a grid.
std::string setting_text(const Sweep& sweep, std::size_t setting) {
    std::string text;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i)
        text +=
            fmt::format("{}{}={}", i > 0 ? " " : "", sweep.axes[i].field, sweep.runs[setting].settings[i]);
    return text.empty() ? "all runs" : text;
}

std::uint64_t seed_of(std::span<const Sweep* const> sweeps) {
    std::uint64_t seed = 0;
    for (const auto* sweep : sweeps) {
        std::uint64_t id = 0;
        std::from_chars(sweep->id.data(), sweep->id.data() + sweep->id.size(), id, 16);
        seed = std::rotl(seed, 1) ^ id;
    }
    return seed;
}

/// The runs of one repeat, in the order of the grids.
std::vector<SweepTurn> turns_of_repeat(std::span<const Sweep* const> sweeps, std::int64_t repeat) {
    std::vector<SweepTurn> turns;
    for (std::size_t i = 0; i < sweeps.size(); ++i) {
        if (repeat >= sweeps[i]->most_repeats) continue;
        for (std::size_t setting = 0; setting < sweeps[i]->settings(); ++setting)
            turns.push_back({i, sweeps[i]->position(setting, repeat)});
    }
    return turns;
}

/// The step times of the same setting in a sweep before the repeat of a run. Absent: the sweep has no such
/// setting.
std::optional<StepTimes> step_times_before(const SweepInTraining& one, const Sweep& own,
                                           const SweepRun& run) {
    const auto& sweep = *one.sweep;
    if (!std::ranges::equal(sweep.axes, own.axes, {}, &SweepAxis::field, &SweepAxis::field))
        return std::nullopt;
    for (std::size_t setting = 0; setting < sweep.settings(); ++setting)
        if (sweep.runs[setting].settings == run.settings)
            return step_times_of(sweep, setting, std::min(run.repeat, sweep.most_repeats), one.entry_of);
    return std::nullopt;
}

/// Whether fewer runs of the same setting count as undisturbed, before the repeat of a run, than one of the
/// sweeps asks that can still train some. A setting with a run that failed does not take part. own: the sweep
/// of the run, whose step times before it are `of_own`, as summaries are read once.
bool is_any_disturbed(std::span<const SweepInTraining> together, std::size_t own, const SweepRun& run,
                      const StepTimes& of_own) {
    std::vector<std::pair<std::int64_t, StepTimes>> asked;  // with the runs that the sweep asks for
    std::vector<std::vector<double>> looks_us;
    for (std::size_t i = 0; i < together.size(); ++i) {
        const auto& one = together[i];
        auto times = i == own ? std::optional(of_own) : step_times_before(one, *together[own].sweep, run);
        if (!times || times->any_failed) continue;
        looks_us.push_back(times->quick_looks_us);
        const auto wanted = one.sweep->undisturbed_repeats.value_or(0);
        if (run.repeat < one.sweep->most_repeats && times->may_be_undisturbed(wanted))
            asked.emplace_back(wanted, *std::move(times));
    }
    const auto range = alike_cores(looks_us);
    return std::ranges::any_of(asked,
                               [&](const auto& each) { return each.second.undisturbed(range) < each.first; });
}

}  // namespace

std::vector<SweepTurn> training_order(std::span<const Sweep* const> sweeps) {
    const RandomStream random(seed_of(sweeps), RandomPurpose::order);
    std::vector<SweepTurn> order;
    for (std::int64_t repeat = 0;; ++repeat) {
        auto turns = turns_of_repeat(sweeps, repeat);
        if (turns.empty()) return order;
        for (auto left = static_cast<std::uint32_t>(turns.size()); left > 1; --left)
            std::swap(turns[left - 1], turns[random.below(left, static_cast<std::uint32_t>(repeat), left)]);
        order.insert(order.end(), turns.begin(), turns.end());
    }
}

bool is_needed(std::span<const SweepInTraining> together, std::size_t own, std::size_t run) {
    const auto& sweep = *together[own].sweep;
    const auto& this_run = sweep.runs[run];
    if (this_run.repeat < sweep.repeats) return true;
    const auto found = step_times_of(sweep, sweep.setting_of(run), this_run.repeat, together[own].entry_of);
    if (found.any_failed) return false;
    if (sweep.undisturbed_repeats && found.may_be_undisturbed(*sweep.undisturbed_repeats) &&
        is_any_disturbed(together, own, this_run, found))
        return true;
    if (!sweep.precision) return false;
    const auto interval = median_interval(found.times_us);
    return !interval || interval->precision().value_or(0.0) > *sweep.precision;
}

bool is_spare(const Sweep& sweep, std::size_t run, const SweepEntry& entry) {
    return sweep.runs[run].repeat >= sweep.repeats && entry.state == RunState::pending;
}

std::string repetition_rule(const Sweep& sweep) {
    if (!sweep.repeats_by_results()) return "";
    std::vector<std::string> until;
    if (sweep.precision) {
        until.push_back(
            fmt::format("half the width of the 95% interval of its median step time was at most "
                        "{:g}% of the median",
                        100.0 * *sweep.precision));
    }
    if (sweep.undisturbed_repeats) {
        until.push_back(fmt::format(
            "{} of its runs, also in each sweep that was trained together with this one, had been measured "
            "on undisturbed cores whose speeds differed by less than {:.0f}%",
            *sweep.undisturbed_repeats, 100.0 * (alike_look - 1.0)));
    }
    return fmt::format("After {} a setting was repeated until {}; it had at most {}.",
                       count_text(sweep.repeats, "run"), fmt::join(until, " and "),
                       count_text(sweep.most_repeats, "run"));
}

std::string precision_lines(const Sweep& sweep, std::span<const SweepEntry> entries) {
    std::string lines;
    if (!sweep.precision) return lines;
    for (std::size_t setting = 0; setting < sweep.settings(); ++setting) {
        const auto found = step_times_of(sweep, setting, entries);
        const auto interval = median_interval(found.times_us);
        const auto setting_said = setting_text(sweep, setting);
        if (!interval) {
            lines += fmt::format(
                "precision: {}: {} runs are too few to say how precisely the median step time is known\n",
                setting_said, found.times_us.size());
            continue;
        }
        const auto reached = interval->precision().value_or(0.0);
        if (reached <= *sweep.precision) continue;
        lines += fmt::format(
            "precision: {}: the median step time of {} runs is known to {:.1f}%, not to {:.1f}%\n",
            setting_said, found.times_us.size(), 100.0 * reached, 100.0 * *sweep.precision);
    }
    return lines;
}

std::string undisturbed_lines(const Sweep& sweep, std::span<const SweepEntry> entries) {
    std::string lines;
    if (!sweep.undisturbed_repeats) return lines;
    for (std::size_t setting = 0; setting < sweep.settings(); ++setting) {
        const auto found = step_times_of(sweep, setting, entries);
        const auto counting = found.undisturbed(alike_cores(std::array{found.quick_looks_us}));
        if (counting >= *sweep.undisturbed_repeats) continue;
        lines += fmt::format("undisturbed: {}: {} of {} count as undisturbed, not {}\n",
                             setting_text(sweep, setting), counting, count_text(found.times_us.size(), "run"),
                             *sweep.undisturbed_repeats);
    }
    return lines;
}

std::vector<bool> outlying_runs(const Sweep& sweep, std::span<const SweepEntry> entries) {
    std::vector<bool> outlying(sweep.runs.size(), false);
    for (std::size_t setting = 0; setting < sweep.settings(); ++setting) {
        const auto found = step_times_of(sweep, setting, entries);
        for (const auto at : outliers(found.times_us)) outlying[found.runs[at]] = true;
    }
    return outlying;
}

std::string outlier_lines(const Sweep& sweep, std::span<const SweepEntry> entries) {
    std::vector<std::size_t> counts(sweep.settings(), 0);
    const auto outlying = outlying_runs(sweep, entries);
    for (std::size_t run = 0; run < outlying.size(); ++run)
        counts[sweep.setting_of(run)] += outlying[run] ? 1 : 0;
    std::string lines;
    for (std::size_t setting = 0; setting < counts.size(); ++setting) {
        if (counts[setting] == 0) continue;
        lines +=
            fmt::format("outliers: {}: the step time of {} lies far from the others; runs.csv says which\n",
                        setting_text(sweep, setting), count_text(counts[setting], "run"));
    }
    return lines;
}

}  // namespace convoy
