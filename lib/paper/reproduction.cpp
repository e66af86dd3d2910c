#include "paper/reproduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "measure/two_samples.hpp"
#include "paper/archive_text.hpp"
#include "report/columns.hpp"

namespace convoy {
namespace {

using nlohmann::json;
using SettledRuns = std::vector<const SettledRun*>;

constexpr std::string_view same_bits = "same bits", same_within_noise = "same within noise",
                           is_different = "different", too_few_runs = "too few runs", not_run = "not run";

/// The runs of one setting: those that were published, and those of the same repeats, null where there is
/// none. A sweep that repeats until a figure is precise may have more repeats, or fewer, than before.
struct Setting {
    std::vector<std::string> settings;
    SettledRuns published, again;

    [[nodiscard]] std::int64_t run_again() const {
        return std::ranges::count_if(again, [](const auto* run) { return run != nullptr; });
    }
    /// Whether a run is missing that the sweep trains whatever its figures are.
    [[nodiscard]] bool lacks_run(std::int64_t repeats) const {
        for (std::size_t i = 0; i < again.size(); ++i)
            if (again[i] == nullptr && published[i]->repeat < repeats) return true;
        return run_again() == 0;
    }
    [[nodiscard]] std::int64_t with_same_weights() const {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < again.size(); ++i)
            if (again[i] != nullptr && again[i]->weights_sha256 == published[i]->weights_sha256) ++count;
        return count;
    }
};

std::vector<Setting> settings_of(const SettledSweep& published, const SettledSweep& again) {
    std::vector<Setting> settings;
    for (const auto& run : published.runs) {
        auto found = std::ranges::find(settings, run.settings, &Setting::settings);
        if (found == settings.end())
            found = settings.insert(found, {.settings = run.settings, .published = {}, .again = {}});
        const auto other = std::ranges::find_if(again.runs, [&run](const SettledRun& candidate) {
            return candidate.settings == run.settings && candidate.repeat == run.repeat;
        });
        found->published.push_back(&run);
        found->again.push_back(other == again.runs.end() ? nullptr : &*other);
    }
    return settings;
}

/// A figure of each run that has it.
std::vector<double> figures_of(const SettledRuns& runs, const char* pointer) {
    std::vector<double> values;
    for (const auto* run : runs) {
        const json::json_pointer place(pointer);
        if (run != nullptr && run->summary.contains(place) && run->summary.at(place).is_number())
            values.push_back(run->summary.at(place).get<double>());
    }
    return values;
}

/// A figure of the published runs beside that of the runs again.
struct Compared {
    TwoSamples samples;
    std::string_view shown;  ///< as shown_difference

    /// Few runs may be alike, but cannot show that they differ.
    [[nodiscard]] std::string_view result() const {
        const bool holds_one = samples.low && *samples.low <= 1.0 && *samples.high >= 1.0;
        if (shown == is_different) return is_different;
        return shown == too_few_runs && !holds_one ? too_few_runs : same_within_noise;
    }
};

/// Absent if one side has no such figure.
std::optional<Compared> compared(const Setting& setting, const char* pointer) {
    const auto before = figures_of(setting.published, pointer);
    const auto now = figures_of(setting.again, pointer);
    if (before.empty() || now.empty()) return std::nullopt;
    const auto samples = two_samples(now, before);
    return Compared{.samples = samples, .shown = shown_difference(samples, now.size(), before.size())};
}

/// The digests of the data, in no order: paths differ from machine to machine.
std::vector<std::string> digests_of(const json& environment) {
    std::vector<std::string> digests;
    if (environment.contains("data") && environment.at("data").is_array())
        for (const auto& file : environment.at("data"))
            if (file.is_object()) digests.push_back(text_in(file, "/sha256"));
    std::ranges::sort(digests);
    return digests;
}

/// What differs in how two runs came about.
std::vector<std::string> origins_apart(const SettledRun& a, const SettledRun& b) {
    constexpr std::array<std::pair<const char*, const char*>, 3> texts{
        {{"version", "/versions/convoy"}, {"commit", "/build/commit"}, {"build options", "/build/options"}}};
    std::vector<std::string> apart;
    if (digests_of(a.environment) != digests_of(b.environment)) apart.emplace_back("data");
    for (const auto& [name, pointer] : texts)
        if (text_in(a.environment, pointer) != text_in(b.environment, pointer)) apart.emplace_back(name);
    if (a.environment.value("cpu", json()) != b.environment.value("cpu", json()))
        apart.emplace_back("machine");
    return apart;
}

/// All that differs between the runs of a setting, in the order of origins_apart.
std::vector<std::string> origins_apart(const Setting& setting) {
    std::vector<std::string> apart;
    for (std::size_t i = 0; i < setting.again.size(); ++i) {
        if (setting.again[i] == nullptr) continue;
        for (auto& name : origins_apart(*setting.published[i], *setting.again[i]))
            if (std::ranges::find(apart, name) == apart.end()) apart.push_back(std::move(name));
    }
    return apart;
}

/// The result of a setting that lacks no run.
std::string_view result_of(const Setting& setting, const std::optional<Compared>& step_time,
                           const std::optional<Compared>& accuracy) {
    if (setting.with_same_weights() == setting.run_again()) return same_bits;
    auto result = same_within_noise;
    for (const auto& figure : {step_time, accuracy}) {
        const auto one = figure ? figure->result() : too_few_runs;
        if (one == is_different) return is_different;
        if (one == too_few_runs) result = too_few_runs;
    }
    return result;
}

std::vector<Column> columns_of(const std::vector<std::string>& fields) {
    using namespace columns;
    std::vector<Column> all;
    for (const auto& field : fields) all.push_back(words(field));
    const auto number = [](const char* name, int number_of_detail) {
        return Column{
            .name = name, .unit = "", .left = false, .shown = {"", 1.0, 3}, .detail = number_of_detail};
    };
    for (const auto& column :
         {words("result"), words("differs"), detail(count("runs"), 3), detail(count("run_again"), 3),
          count("same_weights"), number("step_time_ratio", 1), number("step_time_ratio_low", 2),
          number("step_time_ratio_high", 2), detail(words("step_time"), 1), number("accuracy_ratio", 4),
          detail(words("accuracy"), 4)})
        all.push_back(column);
    return all;
}

std::vector<Cell> row_of(const Setting& setting, std::string_view result,
                         const std::optional<Compared>& step_time, const std::optional<Compared>& accuracy) {
    auto apart = origins_apart(setting);
    if (step_time && step_time->shown == is_different) apart.emplace_back("step time");
    if (accuracy && accuracy->shown == is_different) apart.emplace_back("accuracy");
    const auto cell = [](const std::optional<double>& value) { return value ? Cell(*value) : Cell(); };
    const auto shown = [](const std::optional<Compared>& figure) {
        return figure ? Cell(std::string(figure->shown)) : Cell();
    };
    std::vector<Cell> row(setting.settings.begin(), setting.settings.end());
    row.insert(row.end(), {std::string(result), fmt::format("{}", fmt::join(apart, ", ")),
                           std::ssize(setting.published), setting.run_again(), setting.with_same_weights(),
                           step_time ? cell(step_time->samples.ratio) : Cell(),
                           step_time ? cell(step_time->samples.low) : Cell(),
                           step_time ? cell(step_time->samples.high) : Cell(), shown(step_time),
                           accuracy ? cell(accuracy->samples.ratio) : Cell(), shown(accuracy)});
    return row;
}

}  // namespace

Reproduction reproduction_of(const SettledSweep& published, const SettledSweep& again) {
    if (published.fields != again.fields)
        throw DataError(fmt::format("the published sweep varies \"{}\", this one \"{}\"",
                                    fmt::join(published.fields, ", "), fmt::join(again.fields, ", ")));
    Reproduction reproduction{.table = {.name = "reproduction",
                                        .title = published.name + " again; ratios are again/published",
                                        .columns = columns_of(published.fields),
                                        .rows = {}}};
    for (const auto& setting : settings_of(published, again)) {
        const auto step_time = compared(setting, "/step_us/p50");
        auto accuracy = compared(setting, "/final/test_accuracy");
        if (!accuracy) accuracy = compared(setting, "/final/train_accuracy");
        const auto result =
            setting.lacks_run(published.repeats) ? not_run : result_of(setting, step_time, accuracy);
        reproduction.table.rows.push_back(row_of(setting, result, step_time, accuracy));
        reproduction.same = reproduction.same && (result == same_bits || result == same_within_noise);
    }
    return reproduction;
}

}  // namespace convoy
