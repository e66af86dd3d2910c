#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.hpp"

namespace convoy {
namespace {

/// A text within single quotes.
std::string fish_text(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '\'' || c == '\\') safe += '\\';
        safe += c;
    }
    return safe;
}

/// The second word of a name of two words; empty if it has one word.
std::string second_word(const std::string& name) {
    const auto blank = name.find(' ');
    return blank == std::string::npos ? "" : name.substr(blank + 1);
}

/// The condition under which a subcommand is being typed.
std::string condition_of(const CommandForm& form, std::span<const CommandForm> forms) {
    const auto first = form.name.substr(0, form.name.find(' '));
    auto text = "__fish_seen_subcommand_from " + first;
    if (const auto second = second_word(form.name); !second.empty())
        return text + "; and __fish_seen_subcommand_from " + second;
    for (const auto& other : forms) {
        if (other.name.starts_with(first + " "))
            text += "; and not __fish_seen_subcommand_from " + second_word(other.name);
    }
    return text;
}

std::string option_line(const OptionRow& row, const std::string& condition) {
    std::string value;
    switch (row.kind) {
        case ValueKind::none: break;
        case ValueKind::words: value = fmt::format(" -x -a '{}'", fmt::join(row.words, " ")); break;
        case ValueKind::file: value = " -r -F"; break;
        case ValueKind::folder: value = " -x -a '(__fish_complete_directories)'"; break;
        case ValueKind::other: value = " -x"; break;
    }
    return fmt::format("complete -c convoy -n '{}' -l {}{} -d '{}'\n", condition, row.name, value,
                       fish_text(row.meaning));
}

/// Words for the first argument, then words or files for the next one.
std::string argument_lines(const CommandForm& form, const std::string& condition) {
    std::string text;
    std::string typed;  // the condition that all arguments before are there
    for (const auto& argument : form.arguments) {
        if (argument.values.empty()) {
            text += fmt::format("complete -c convoy -n '{}{}' -F\n", condition, typed);
            continue;
        }
        const auto words = fmt::format("{}", fmt::join(argument.values, " "));
        text += fmt::format(
            "complete -c convoy -n '{}{}; and not __fish_seen_subcommand_from {}' -a '{}' -d '{}'\n",
            condition, typed, words, words, fish_text(argument.shown));
        typed += "; and __fish_seen_subcommand_from " + words;
    }
    return text;
}

}  // namespace

std::string fish_completion(std::span<const CommandForm> forms) {
    std::string text = "# Made by `convoy completion fish`.\ncomplete -c convoy -f\n";
    for (const auto& form : forms) {
        if (form.name.find(' ') == std::string::npos)
            text += fmt::format("complete -c convoy -n __fish_use_subcommand -a {} -d '{}'\n", form.name,
                                fish_text(form.summary));
    }
    for (const auto& form : forms) {
        const auto condition = condition_of(form, forms);
        for (const auto& row : option_rows(form)) text += option_line(row, condition);
        text += argument_lines(form, condition);
    }
    return text;
}

}  // namespace convoy
