#include "man_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/console.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/make_folder.hpp"
#include "base/similar_name.hpp"
#include "command_line.hpp"
#include "man_page.hpp"
#include "subcommands.hpp"

namespace convoy {
namespace {

std::string page_of(const std::string& name) {
    const auto forms = all_forms();
    const auto found = std::ranges::find(forms, name, &CommandForm::name);
    if (found != forms.end()) return man_page(*found);
    std::vector<std::string_view> names;
    for (const auto& form : forms) names.emplace_back(form.name);
    throw UsageError(
        fmt::format("convoy man: \"{}\" is not a subcommand{}", name, did_you_mean(name, names)));
}

void write_pages(const std::filesystem::path& folder) {
    make_folder(folder);
    const auto forms = all_forms();
    write_whole(folder / "convoy.1", man_page(forms));
    for (const auto& form : forms) write_whole(folder / (man_page_name(form) + ".1"), man_page(form));
}

}  // namespace

CommandForm man_form() {
    auto described = option_group();
    described.add_options()("out", boost::program_options::value<std::string>()->value_name("DIR"),
                            "write the pages of all subcommands into this folder");
    return {.name = "man",
            .arguments = {{.name = "subcommand",
                           .shown = "SUBCOMMAND",
                           .values = {},
                           .count = Argument::Count::optional}},
            .summary = "prints the manual page of convoy or of a subcommand",
            .details = {"convoy man run | man -l -",
                        "A subcommand of two words is quoted: convoy man \"bench operators\""},
            .options = described};
}

int man_command(std::span<const std::string> arguments) {
    const auto form = man_form();
    const auto given = parse_arguments(form, arguments);
    if (print_help(given, form)) return 0;
    const bool named = given.contains("subcommand");
    if (const auto folder = path_given(given, "out")) {
        if (named) throw UsageError("convoy man: --out writes all pages; leave the subcommand out");
        write_pages(*folder);
    } else {
        print(named ? page_of(argument_given(given, "subcommand")) : man_page(all_forms()));
    }
    return 0;
}

}  // namespace convoy
