#include "completion_command.hpp"

#include <fmt/format.h>

#include "base/console.hpp"
#include "base/error.hpp"
#include "command_line.hpp"
#include "completion.hpp"
#include "subcommands.hpp"

namespace convoy {

CommandForm completion_form() {
    return {.name = "completion",
            .arguments = {{.name = "shell", .shown = "bash|zsh|fish", .values = {"bash", "zsh", "fish"}}},
            .summary = "prints the script with which a shell completes convoy's command lines",
            .details = {"bash: source <(convoy completion bash)", "zsh:  source <(convoy completion zsh)",
                        "fish: convoy completion fish | source"},
            .options = option_group()};
}

int completion_command(std::span<const std::string> arguments) {
    const auto form = completion_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const auto shell = argument_given(given, "shell");
    const auto forms = all_forms();
    if (shell == "bash") {
        print(bash_completion(forms));
    } else if (shell == "zsh") {
        print(zsh_completion(forms));
    } else if (shell == "fish") {
        print(fish_completion(forms));
    } else {
        refuse_word("convoy completion", shell, "bash, zsh or fish");
    }
    return 0;
}

}  // namespace convoy
