#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "completion.hpp"

namespace convoy {
namespace {

/// What the script has in front of the tables. `before` is the option whose value `word` is.
constexpr const char* bash_head = R"(# Made by `convoy completion bash`.
_convoy_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
}
_convoy_files() {
    compopt -o filenames 2>/dev/null || true
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
_convoy_folders() {
    compopt -o filenames 2>/dev/null || true
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
}
_convoy() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local options='' valued='' first=2 position=0 i
    COMPREPLY=()
    # --option=value comes as three words.
    if [[ $word == = ]]; then
        word=''
    elif [[ $before == = ]]; then
        before=${COMP_WORDS[COMP_CWORD - 2]}
    fi
)";

constexpr const char* bash_middle = R"(    if [[ " $valued " == *" $before "* ]]; then
        case "$command $before" in
)";

constexpr const char* bash_positions = R"(        esac
        return
    fi
    if [[ $word == -* ]]; then
        _convoy_words "$options"
        return
    fi
    for ((i = first; i < COMP_CWORD; i++)); do
        if [[ " $valued " == *" ${COMP_WORDS[i]} "* ]]; then
            i=$((i + 1))
            if [[ ${COMP_WORDS[i]} == = ]]; then i=$((i + 1)); fi
            # A value such as nodes=2 or HOST:PORT comes as three words.
            while [[ ${COMP_WORDS[i + 1]} == [=:] ]]; do i=$((i + 2)); done
        elif [[ ${COMP_WORDS[i]} != -* ]]; then
            position=$((position + 1))
        fi
    done
    case "$command $position" in
)";

constexpr const char* bash_tail = R"(    esac
}
complete -F _convoy convoy
)";

/// The words that may be first behind `convoy`.
std::string first_words(std::span<const CommandForm> forms) {
    std::vector<std::string> words;
    for (const auto& form : forms) {
        if (form.name.find(' ') == std::string::npos) words.push_back(form.name);
    }
    return fmt::format("{} help version --help --version", fmt::join(words, " "));
}

std::string options_case(const CommandForm& form) {
    std::string all;
    std::string valued;
    for (const auto& row : option_rows(form)) {
        all += fmt::format("{}--{}", all.empty() ? "" : " ", row.name);
        if (row.kind != ValueKind::none) valued += fmt::format("{}--{}", valued.empty() ? "" : " ", row.name);
    }
    return fmt::format("    '{}') options='{}' valued='{}' ;;\n", form.name, all, valued);
}

std::string values_cases(const CommandForm& form) {
    std::string text;
    for (const auto& row : option_rows(form)) {
        const auto pattern = fmt::format("        '{} --{}') ", form.name, row.name);
        if (row.kind == ValueKind::words)
            text += fmt::format("{}_convoy_words '{}' ;;\n", pattern, fmt::join(row.words, " "));
        if (row.kind == ValueKind::file) text += pattern + "_convoy_files ;;\n";
        if (row.kind == ValueKind::folder) text += pattern + "_convoy_folders ;;\n";
    }
    return text;
}

std::string position_cases(const CommandForm& form) {
    std::string text;
    for (std::size_t i = 0; i < form.arguments.size(); ++i) {
        const auto& argument = form.arguments[i];
        const bool many = argument.count == Argument::Count::many;
        const auto pattern = many ? fmt::format("'{} '*", form.name) : fmt::format("'{} {}'", form.name, i);
        const auto answer = argument.values.empty()
                                ? "_convoy_files"
                                : fmt::format("_convoy_words '{}'", fmt::join(argument.values, " "));
        text += fmt::format("    {}) {} ;;\n", pattern, answer);
    }
    return text;
}

}  // namespace

std::string bash_completion(std::span<const CommandForm> forms) {
    std::string text = bash_head;
    text +=
        fmt::format("    if ((COMP_CWORD == 1)); then\n        _convoy_words '{}'\n        return\n    fi\n",
                    first_words(forms));
    for (const auto& form : forms) {
        if (form.name.find(' ') == std::string::npos) continue;
        text += fmt::format(
            "    if ((COMP_CWORD > 2)) && [[ \"$command ${{COMP_WORDS[2]}}\" == '{0}' ]]; then\n"
            "        command='{0}' first=3\n    fi\n",
            form.name);
    }
    text += "    case $command in\n";
    for (const auto& form : forms) text += options_case(form);
    text += "    esac\n";
    text += bash_middle;
    for (const auto& form : forms) text += values_cases(form);
    text += bash_positions;
    for (const auto& form : forms) text += position_cases(form);
    return text + bash_tail;
}

}  // namespace convoy
