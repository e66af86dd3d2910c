#include "sweep/sweep_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/json_text.hpp"
#include "base/name_rule.hpp"
#include "base/path_text.hpp"
#include "base/sha256.hpp"
#include "base/version.hpp"
#include "spec/parse.hpp"
#include "spec/place.hpp"
#include "spec/run_identity.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t most_sweep_bytes = std::size_t{1} << 20U;
constexpr std::size_t most_runs = 10'000;
constexpr std::int64_t most_repeats = 1000;
constexpr std::int64_t usual_most_repeats = 30;
constexpr std::size_t id_digits = 12;
constexpr std::array<std::string_view, 8> sweep_fields{
    "name", "base", "grid", "repeats", "precision", "undisturbed_repeats", "most_repeats", "folder"};

/// A sweep's JSON and the file that has it.
struct SweepFile {
    const json& content;
    const fs::path& file;
    Place place;
};

/// From where relative paths go: as the sweep says, else from where its base is, in the sweep or in a file of
/// its own.
fs::path base_folder(const SweepFile& source) {
    const auto& [sweep, file, place] = source;
    if (sweep.contains("folder")) {
        const auto& folder = sweep.at("folder");
        if (!folder.is_string()) place.key("folder").refuse(folder, "a path");
        return file.parent_path() / path_of_text(folder.get<std::string>());
    }
    const auto base = sweep.value("base", json());
    return (base.is_string() ? file.parent_path() / path_of_text(base.get<std::string>()) : file)
        .parent_path();
}

/// The base: a spec, or the path of one, from where the sweep is.
json base_of(const SweepFile& source) {
    constexpr auto expected = "a spec or the path of one";
    const auto& [sweep, file, place] = source;
    if (!sweep.contains("base")) place.key("base").missing(expected);
    const auto& base = sweep.at("base");
    if (base.is_object()) return base;
    if (!base.is_string()) place.key("base").refuse(base, expected);
    const auto path = file.parent_path() / path_of_text(base.get<std::string>());
    try {
        return parse_json(read_text(path, most_sweep_bytes), path.string(), JsonComments::ignored);
    } catch (const MissingFileError& error) {
        throw MissingFileError(fmt::format("{}: $.base: {}", file.string(), error.what()));
    }
}

/// The sweep's name; that of its base without one.
std::string name_of(const SweepFile& source, const ExperimentSpec& base) {
    const auto name = source.content.value("name", json(base.name));
    if (!name.is_string() || !file_names.allows(name.get_ref<const std::string&>()))
        source.place.key("name").refuse(name, file_names.expected());
    return name.get<std::string>();
}

std::vector<SweepAxis> axes_of(const SweepFile& source) {
    std::vector<SweepAxis> axes;
    const auto place = source.place.key("grid");
    const auto grid = source.content.value("grid", json::object());
    if (!grid.is_object()) place.refuse(grid, "an object of lists by field");
    for (const auto& [field, values] : grid.items()) {
        if (!values.is_array() || values.empty())
            place.key(field).refuse(values, "a list of one value or more");
        SweepAxis axis{.field = field, .values = {}};
        for (const auto& value : values) axis.values.push_back(json_text(value));
        axes.push_back(std::move(axis));
    }
    return axes;
}

/// A number of repeats; 1 if the field is absent.
std::int64_t repeats_of(const SweepFile& source, const char* field) {
    const auto repeats = source.content.value(field, json(1));
    const bool right = repeats.is_number_integer() && repeats >= 1 && repeats <= most_repeats;
    if (!right) source.place.key(field).refuse(repeats, fmt::format("an integer in [1, {}]", most_repeats));
    return repeats.get<std::int64_t>();
}

/// Absent if the sweep asks for no precision.
std::optional<double> precision_of(const SweepFile& source) {
    if (!source.content.contains("precision")) return std::nullopt;
    const auto& precision = source.content.at("precision");
    const bool right = precision.is_number() && precision > 0.0 && precision < 1.0;
    if (!right) source.place.key("precision").refuse(precision, "a number above 0 and below 1");
    return precision.get<double>();
}

/// How often a setting may be repeated.
std::int64_t most_repeats_of(const SweepFile& source, const Sweep& sweep) {
    const auto place = source.place.key("most_repeats");
    if (!sweep.repeats_by_results()) {
        if (source.content.contains("most_repeats"))
            place.fail("has no effect without precision or undisturbed_repeats");
        return sweep.repeats;
    }
    const auto least = std::max(sweep.repeats, sweep.undisturbed_repeats.value_or(1));
    const auto most = source.content.value("most_repeats", json(std::max(least, usual_most_repeats)));
    if (!(most.is_number_integer() && most >= least && most <= most_repeats))
        place.refuse(most, fmt::format("an integer in [{}, {}]", least, most_repeats));
    return most.get<std::int64_t>();
}

/// What stands under a field such as "strategy.name"; null where there is nothing.
json value_at(const json& spec, std::string_view field) {
    const auto* node = &spec;
    while (true) {
        const auto dot = field.find('.');
        const auto found = node->is_object() ? node->find(field.substr(0, dot)) : node->end();
        if (found == node->end()) return nullptr;
        if (dot == std::string_view::npos) return *found;
        node = &*found;
        field.remove_prefix(dot + 1);
    }
}

std::string name_in(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    return value.is_object() && value.contains("name") && value.at("name").is_string()
               ? value.at("name").get<std::string>()
               : "";
}

/// Puts one value of the grid into a spec. An object is laid over the one that is there, unless it names
/// another kind of thing: then the siblings of the name are that one's own.
void put(json& spec, const std::string& field, const std::string& text) {
    const auto value = json::parse(text);
    const auto before = value_at(spec, field);
    const bool renames = !name_in(value).empty() && name_in(value) != name_in(before);
    if (!value.is_object() || renames || value.empty()) return apply_override(spec, field + "=" + text);
    for (const auto& [key, part] : value.items())
        apply_override(spec, fmt::format("{}.{}={}", field, key, json_text(part)));
}

/// A value as a cell shows it.
std::string shown(const std::string& text) {
    const auto value = json::parse(text);
    if (value.is_object() && value.size() == 1 && value.contains("name")) return name_in(value);
    return value.is_string() ? value.get<std::string>() : text;
}

/// Calls visit with the values of every point of the grid, in order.
template <typename Visit>
void for_each_point(const std::vector<SweepAxis>& axes, const Visit& visit) {
    std::vector<std::size_t> at(axes.size(), 0);
    while (true) {
        std::vector<std::string> values;
        for (std::size_t i = 0; i < axes.size(); ++i) values.push_back(axes[i].values[at[i]]);
        visit(values);
        auto axis = axes.size();
        while (axis > 0 && ++at[axis - 1] == axes[axis - 1].values.size()) at[--axis] = 0;
        if (axis == 0) return;
    }
}

/// As put, for a field of the grid. Throws DataError if it is no field.
void put_of_grid(json& spec, const std::string& field, const std::string& text, const Place& place) {
    try {
        put(spec, field, text);
    } catch (const UsageError& problem) {
        place.key("grid").key(field).fail(problem.what());
    }
}

SweepRun make_run(const Sweep& sweep, json spec, const std::vector<std::string>& values, std::int64_t repeat,
                  const SweepFile& from, const fs::path& folder) {
    SweepRun run{.settings = {}, .repeat = repeat, .spec = {}, .run_id = {}};
    std::vector<std::string> described;
    for (std::size_t i = 0; i < values.size(); ++i) {
        put_of_grid(spec, sweep.axes[i].field, values[i], from.place);
        run.settings.push_back(shown(values[i]));
        described.push_back(fmt::format("{}={}", sweep.axes[i].field, run.settings.back()));
    }
    const auto source = described.empty()
                            ? from.file.string()
                            : fmt::format("{} with {}", from.file.string(), fmt::join(described, ", "));
    run.spec = parse_spec(spec, source);
    find_files_beside(run.spec, folder);
    run.spec.seed += static_cast<std::uint64_t>(repeat);
    run.run_id = run_id(run.spec).substr(0, id_digits);
    return run;
}

void add_runs(Sweep& sweep, const json& base, const SweepFile& source, const fs::path& folder) {
    const auto grid = source.place.key("grid");
    auto runs = static_cast<std::size_t>(sweep.most_repeats);
    for (const auto& axis : sweep.axes) runs = std::min(runs * axis.values.size(), most_runs + 1);
    if (runs > most_runs) grid.fail(fmt::format("more than {} runs", most_runs));
    for (std::int64_t repeat = 0; repeat < sweep.most_repeats; ++repeat) {
        for_each_point(sweep.axes, [&](const std::vector<std::string>& values) {
            sweep.runs.push_back(make_run(sweep, base, values, repeat, source, folder));
        });
    }
    std::vector<std::string> ids;
    for (const auto& run : sweep.runs) ids.push_back(run.run_id);
    std::ranges::sort(ids);
    if (std::ranges::adjacent_find(ids) != ids.end())
        grid.fail("two of its runs are the same; a value may stand in a list only once");
}

}  // namespace

Sweep load_sweep(const fs::path& file, std::span<const std::string> overrides) {
    const auto content = parse_json(read_text(file, most_sweep_bytes), file.string(), JsonComments::ignored);
    const SweepFile source{.content = content, .file = file, .place = Place(file.string())};
    if (!content.is_object()) source.place.refuse(content, "an object with base, grid and repeats");
    for (const auto& [key, value] : content.items()) {
        if (std::ranges::find(sweep_fields, key) == sweep_fields.end()) {
            source.place.key(key).fail(
                fmt::format("is no field of a sweep; there are {}", fmt::join(sweep_fields, ", ")));
        }
    }
    auto base = base_of(source);
    for (const auto& assignment : overrides) apply_override(base, assignment);

    Sweep sweep;
    sweep.axes = axes_of(source);
    sweep.repeats = repeats_of(source, "repeats");
    sweep.precision = precision_of(source);
    if (content.contains("undisturbed_repeats"))
        sweep.undisturbed_repeats = repeats_of(source, "undisturbed_repeats");
    sweep.most_repeats = most_repeats_of(source, sweep);
    const auto folder = base_folder(source);
    auto spec = parse_spec(base, file.string() + ": base");
    find_files_beside(spec, folder);
    sweep.name = name_of(source, spec);
    add_runs(sweep, base, source, folder);
    json whole{{"name", sweep.name},
               {"base", identifying_json(spec)},
               {"grid", content.value("grid", json::object())},
               {"repeats", sweep.repeats}};
    if (sweep.precision) whole["precision"] = *sweep.precision;
    if (sweep.undisturbed_repeats) whole["undisturbed_repeats"] = *sweep.undisturbed_repeats;
    if (sweep.repeats_by_results()) whole["most_repeats"] = sweep.most_repeats;
    // The grid is kept as it was given: whoever reads it elsewhere must find the same files.
    if (std::ranges::any_of(sweep.axes, [](const auto& axis) { return axis.field.starts_with("dataset"); }))
        whole["folder"] = text_of_path(fs::absolute(folder).lexically_normal());
    sweep.text = json_text(whole, 2);
    sweep.id = sha256(fmt::format("{}\nconvoy {}\n", json_text(whole), version())).substr(0, id_digits);
    return sweep;
}

}  // namespace convoy
