#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion.hpp"

namespace convoy {
namespace {

/// A text within single quotes, where zsh's _arguments gives a meaning to brackets and colons.
std::string zsh_text(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '\'') {
            safe += "'\\''";
        } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
            safe += {'\\', c};
        } else {
            safe += c;
        }
    }
    return safe;
}

std::string zsh_action(ValueKind kind, const std::vector<std::string>& words) {
    switch (kind) {
        case ValueKind::words: return fmt::format("({})", fmt::join(words, " "));
        case ValueKind::file: return "_files";
        case ValueKind::folder: return "_files -/";
        case ValueKind::other: return " ";
        case ValueKind::none: break;
    }
    return "";
}

/// The options and arguments of a form, as words of _arguments.
std::string zsh_arguments(const CommandForm& form) {
    std::string text;
    for (const auto& row : option_rows(form)) {
        const bool valued = row.kind != ValueKind::none;
        text += fmt::format(" \\\n            '{}--{}{}[{}]", row.repeats ? "*" : "", row.name,
                            valued ? "=" : "", zsh_text(row.meaning));
        if (valued) text += fmt::format(":{}:{}", zsh_text(row.value), zsh_action(row.kind, row.words));
        text += "'";
    }
    for (std::size_t i = 0; i < form.arguments.size(); ++i) {
        const auto& argument = form.arguments[i];
        const auto kind = argument.values.empty() ? ValueKind::file : ValueKind::words;
        const auto place = argument.count == Argument::Count::many ? std::string("*") : fmt::to_string(i + 1);
        text += fmt::format(" \\\n            '{}:{}:{}'", place, zsh_text(argument.shown),
                            zsh_action(kind, argument.values));
    }
    return text;
}

}  // namespace

std::string zsh_completion(std::span<const CommandForm> forms) {
    std::string text =
        "#compdef convoy\n# Made by `convoy completion zsh`.\n_convoy() {\n    local -a commands\n"
        "    commands=(\n";
    for (const auto& form : forms) {
        if (form.name.find(' ') == std::string::npos)
            text += fmt::format("        '{}:{}'\n", form.name, zsh_text(form.summary));
    }
    text +=
        "    )\n    if ((CURRENT == 2)); then\n        _describe command commands\n        return\n    fi\n"
        "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n";
    for (const auto& form : forms) {
        if (form.name.find(' ') == std::string::npos) continue;
        text += fmt::format(
            "    if ((CURRENT > 2)) && [[ \"$command $words[2]\" == '{0}' ]]; then\n"
            "        command='{0}'\n        shift words\n        ((CURRENT--))\n    fi\n",
            form.name);
    }
    text += "    case $command in\n";
    for (const auto& form : forms)
        text += fmt::format("        '{}')\n            _arguments{}\n            ;;\n", form.name,
                            zsh_arguments(form));
    return text +
           "    esac\n}\nif [[ $funcstack[1] == _convoy ]]; then\n    _convoy \"$@\"\nelse\n"
           "    compdef _convoy convoy\nfi\n";
}

}  // namespace convoy
