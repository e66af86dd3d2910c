#include "man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/algorithm/string/replace.hpp>

#include "base/exit_codes.hpp"
#include "base/version.hpp"

namespace convoy {
namespace {

/// A text of one line as roff shows it. A point or an apostrophe at the start of a line would be a request.
std::string roff(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '\\') {
            safe += "\\e";
        } else if (c == '-') {
            safe += "\\-";
        } else if (c == '\'') {
            safe += "\\(aq";
        } else if (c == '`') {
            safe += "\\(ga";
        } else if (c == '^') {
            safe += "\\(ha";
        } else if (c == '~') {
            safe += "\\(ti";
        } else {
            safe += c;
        }
    }
    return safe.starts_with(".") ? "\\&" + safe : safe;
}

std::string bold(const std::string& text) {
    return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string& text) {
    return "\\fI" + roff(text) + "\\fR";
}

std::string head(const std::string& name, const std::string& summary) {
    const auto title = roff(boost::algorithm::to_upper_copy(name));
    return fmt::format(".TH {} 1 \"\" \"convoy {}\" \"convoy\"\n.SH NAME\n{} \\- {}\n", title,
                       roff(std::string(version())), roff(name), roff(summary));
}

std::string option_entry(const OptionRow& row) {
    auto text = ".TP\n" + (row.name == "help" ? bold("-h") + ", " : "") + bold("--" + row.name);
    if (!row.value.empty()) text += " " + italic(row.value);
    text += "\n" + roff(row.meaning);
    if (!row.standard.empty()) text += roff(fmt::format(" (without the option: {})", row.standard));
    text += "\n";
    if (row.words.empty()) return text;
    text += ".br\nValues:";
    for (const auto& word : row.words) text += " " + roff(word);
    return text + "\n";
}

std::string synopsis_of(const CommandForm& form) {
    auto text = bold("convoy " + form.name);
    for (const auto& argument : form.arguments) {
        const auto shown = italic(argument.shown);
        text += argument.count == Argument::Count::optional ? " [" + shown + "]" : " " + shown;
        if (argument.count == Argument::Count::many) text += "...";
    }
    return text + " [" + italic("options") + "]\n";
}

}  // namespace

std::string man_page_name(const CommandForm& form) {
    return "convoy-" + boost::algorithm::replace_all_copy(form.name, " ", "-");
}

std::string man_page(const CommandForm& form) {
    auto text = head(man_page_name(form), form.summary);
    text += ".SH SYNOPSIS\n" + synopsis_of(form);
    if (!form.details.empty()) {
        text += ".SH DESCRIPTION\n.nf\n";
        for (const auto& line : form.details) text += roff(line) + "\n";
        text += ".fi\n";
    }
    text += ".SH OPTIONS\n";
    for (const auto& row : option_rows(form)) text += option_entry(row);
    return text + ".SH EXIT STATUS\nSee\n.BR convoy (1).\n.SH SEE ALSO\n.BR convoy (1)\n";
}

std::string man_page(std::span<const CommandForm> forms) {
    auto text = head("convoy", "trains convolutional networks on CPU clusters and measures it");
    text += ".SH SYNOPSIS\n" + bold("convoy") + " " + italic("subcommand") + " ...\n.SH SUBCOMMANDS\n";
    for (const auto& form : forms) {
        text += ".TP\n" + synopsis_of(form) + roff(form.summary) + "; see\n.BR " + roff(man_page_name(form)) +
                " (1)\n";
    }
    text += ".SH ENVIRONMENT\n.TP\n" + bold("CONVOY_DATA") +
            "\nThe folder of datasets, if there is no \\-\\-data.\n.TP\n" + bold("CONVOY_TOKEN") +
            "\nThe token of a run, if there is no \\-\\-token\\-file.\n.SH EXIT STATUS\n";
    for (const auto& row : exit_codes)
        text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(row.code), roff(std::string(row.meaning)));
    return text;
}

}  // namespace convoy
