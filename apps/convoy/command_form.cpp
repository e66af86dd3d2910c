#include "command_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <boost/algorithm/string/split.hpp>
#include <limits>

#include "command_line.hpp"

namespace convoy {
namespace options = boost::program_options;

namespace {

ValueKind value_kind(const OptionRow& row) {
    if (row.value.empty()) return ValueKind::none;
    if (!row.words.empty()) return ValueKind::words;
    if (row.value.starts_with("FILE")) return ValueKind::file;
    return row.value.starts_with("DIR") ? ValueKind::folder : ValueKind::other;
}

OptionRow row_of(const options::option_description& option, const CommandForm& form) {
    OptionRow row{.name = option.long_name(), .meaning = option.description()};
    if (option.semantic()->max_tokens() > 0) {
        const auto text = option.semantic()->name();  // "N (=30)" or "N"
        const auto end = std::min(text.find(" (="), text.size());
        row.value = text.substr(0, end);
        if (end < text.size()) row.standard = text.substr(end + 3, text.size() - end - 4);
    }
    if (const auto few = form.values.find(row.name); few != form.values.end()) row.words = few->second;
    row.kind = value_kind(row);
    row.repeats = option.semantic()->is_composing();
    return row;
}

unsigned help_width() {
    constexpr std::size_t least = 40;
    constexpr std::size_t usual = 80;
    constexpr std::size_t most = 120;
    auto width = terminal_width().value_or(usual);
    if (width == std::numeric_limits<std::size_t>::max()) width = usual;
    return static_cast<unsigned>(std::clamp(width, least, most));
}

}  // namespace

std::vector<OptionRow> option_rows(const CommandForm& form) {
    std::vector<OptionRow> rows;
    for (const auto& option : form.options.options()) rows.push_back(row_of(*option, form));
    rows.push_back({.name = "help", .meaning = "print the options"});
    return rows;
}

std::string synopsis(const CommandForm& form) {
    auto text = "convoy " + form.name;
    for (const auto& argument : form.arguments) {
        const auto shown = argument.shown;
        text += argument.count == Argument::Count::optional ? " [" + shown + "]" : " " + shown;
        if (argument.count == Argument::Count::many) text += "...";
    }
    return text + " [options]";
}

options::options_description option_group(const std::string& title) {
    const auto width = help_width();
    return {title, width, width / 2};
}

void add_set_option(options::options_description& described, const std::string& of) {
    const auto meaning =
        fmt::format("overrides a field of {}, as in --set strategy.bucket_bytes=65536; may repeat", of);
    described.add_options()(
        "set", options::value<std::vector<std::string>>()->composing()->value_name("FIELD=VALUE"),
        meaning.c_str());
}

void add_data_option(options::options_description& described) {
    described.add_options()("data", options::value<std::string>()->value_name("DIR"),
                            "folder of datasets; else $CONVOY_DATA, else datasets/cache");
}

std::vector<std::string> words_of_list(const std::string& list) {
    std::vector<std::string> words;
    boost::algorithm::split(
        words, boost::algorithm::replace_all_copy(list, " or ", ","),
        [](char c) { return c == ',' || c == ' '; }, boost::algorithm::token_compress_on);
    return words;
}

}  // namespace convoy
