#include "sweep/sweep_axes.hpp"

#include <algorithm>
#include <utility>

#include "sweep/setting_labels.hpp"

namespace convoy {

namespace {

/// One number for each text; empty if a text is no number.
std::vector<double> numbers_in(const std::vector<std::string>& texts) {
    std::vector<double> numbers;
    for (const auto& text : texts) {
        const auto number = setting_number(text);
        if (!number) return {};
        numbers.push_back(*number);
    }
    return numbers;
}

Factor factor_of(const SweepRows& sweep, std::size_t field) {
    Factor factor{.field = field, .name = sweep.fields[field], .values = {}, .labels = {}, .numbers = {}};
    auto& values = factor.values;
    for (const auto& row : sweep.rows)
        if (std::ranges::find(values, row.settings[field]) == values.end())
            values.push_back(row.settings[field]);
    if (!numbers_in(values).empty())
        std::ranges::sort(values, {},
                          [](const std::string& text) { return setting_number(text).value_or(0.0); });
    factor.numbers = numbers_in(values);
    factor.labels = setting_labels(factor.name, values);
    return factor;
}

/// Takes the first factor that fits out of the list.
template <typename Fits>
std::optional<Factor> taken(std::vector<Factor>& factors, Fits fits) {
    const auto found = std::ranges::find_if(factors, fits);
    if (found == factors.end()) return std::nullopt;
    auto factor = std::move(*found);
    factors.erase(found);
    return factor;
}

/// The label of a value, with the field before it if the label is only a word of a field in an object:
/// "wire type float16" for strategy.wire_type, but "local" for strategy.
std::string label_with_field(const Factor& factor, std::size_t level) {
    const auto& label = factor.labels[level];
    const bool names_a_thing = factor.name.find('.') == std::string::npos;
    if (factor.is_numeric() || names_a_thing || label != factor.values[level]) return label;
    return field_words(factor.name) + " " + label;
}

}  // namespace

std::size_t Factor::level_of(const SweepRow& row) const {
    return static_cast<std::size_t>(std::ranges::find(values, row.settings[field]) - values.begin());
}

std::vector<Factor> factors_of(const SweepRows& sweep) {
    std::vector<Factor> factors;
    for (std::size_t field = 0; field < sweep.fields.size(); ++field) {
        auto factor = factor_of(sweep, field);
        if (factor.values.size() > 1) factors.push_back(std::move(factor));
    }
    return factors;
}

SweepAxes choose_axes(std::vector<Factor> factors) {
    const auto numeric = [](const char* name) {
        return [name](const Factor& factor) { return factor.name == name && factor.is_numeric(); };
    };
    SweepAxes axes;
    axes.x = taken(factors, numeric("nodes"));
    if (!axes.x) axes.x = taken(factors, numeric("batch_size"));
    if (!axes.x) axes.x = taken(factors, [](const Factor& factor) { return factor.is_numeric(); });
    axes.colour = taken(factors, [](const Factor& factor) { return !factor.is_numeric(); });
    if (!axes.colour) axes.colour = taken(factors, [](const Factor&) { return true; });
    axes.panels = std::move(factors);
    return axes;
}

std::vector<std::size_t> levels_of(const std::vector<Factor>& factors, const SweepRow& row) {
    std::vector<std::size_t> levels;
    for (const auto& factor : factors) levels.push_back(factor.level_of(row));
    return levels;
}

std::string levels_label(const std::vector<Factor>& factors, const std::vector<std::size_t>& levels) {
    std::string label;
    for (std::size_t i = 0; i < factors.size(); ++i)
        label += (i == 0 ? "" : ", ") + label_with_field(factors[i], levels[i]);
    return label;
}

}  // namespace convoy
