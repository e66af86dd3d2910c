#include "report/latex.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "report/sheet.hpp"

namespace convoy {
namespace {

/// How LaTeX writes what it would not print; absent if it prints the character. A bracket or asterisk may
/// stand behind the end of a row, which would take it for an option.
std::optional<std::string_view> escape_of(char letter) {
    switch (letter) {
        case '\\': return "\\textbackslash{}";
        case '~': return "\\textasciitilde{}";
        case '^': return "\\textasciicircum{}";
        case '<': return "\\textless{}";
        case '>': return "\\textgreater{}";
        case '|': return "\\textbar{}";
        case '"': return "\\char34{}";
        case '`': return "\\char96{}";
        case '\'': return "\\char39{}";
        case '{': return "\\{";
        case '}': return "\\}";
        case '#': return "\\#";
        case '$': return "\\$";
        case '%': return "\\%";
        case '&': return "\\&";
        case '_': return "\\_";
        case '[': return "{[}";
        case ']': return "{]}";
        case '*': return "{*}";
        default: return std::nullopt;
    }
}

/// A unit as siunitx has it; absent if it has none of this name.
std::optional<std::string_view> unit_command(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 10> known{
        {{"pct", "\\percent"},
         {"%", "\\percent"},
         {"s", "\\second"},
         {"ms", "\\milli\\second"},
         {"us", "\\micro\\second"},
         {"B", "\\byte"},
         {"bytes", "\\byte"},
         {"MB", "\\mega\\byte"},
         {"GB/s", "\\giga\\byte\\per\\second"},
         {"MHz", "\\mega\\hertz"}}};
    const auto* const found =
        std::ranges::find(known, unit, &std::pair<std::string_view, std::string_view>::first);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::string head_of(const Column& column) {
    auto name = column.name;
    std::ranges::replace(name, '_', ' ');
    const auto& unit = column.shown.unit.empty() ? column.unit : column.shown.unit;
    if (unit.empty()) return latex_escaped(name);
    const auto command = unit_command(unit);
    return fmt::format("{} ({})", latex_escaped(name),
                       command ? fmt::format("\\si{{{}}}", *command) : latex_escaped(unit));
}

/// The digits of a number's parts, and where it has a sign.
struct NumberFormat {
    bool minus = false, exponent_minus = false;
    std::size_t whole = 1, decimals = 0, exponent = 0;

    void cover(const NumberFormat& other) {
        minus = minus || other.minus;
        exponent_minus = exponent_minus || other.exponent_minus;
        whole = std::max(whole, other.whole);
        decimals = std::max(decimals, other.decimals);
        exponent = std::max(exponent, other.exponent);
    }
    /// As siunitx takes it for table-format.
    [[nodiscard]] std::string text() const {
        auto format = fmt::format("{}{}", minus ? "-" : "", whole);
        if (decimals > 0) format += fmt::format(".{}", decimals);
        if (exponent > 0) format += fmt::format("e{}{}", exponent_minus ? "-" : "", exponent);
        return format;
    }
};

/// Takes digits from the front of a text, and returns how many.
std::size_t take_digits(std::string_view& text) {
    const auto end = std::ranges::find_if(text, [](char letter) { return letter < '0' || letter > '9'; });
    const auto count = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(count);
    return count;
}

/// The format of a decimal number such as "-1.5e+21"; absent if the text is none.
std::optional<NumberFormat> number_format(std::string_view text) {
    NumberFormat format;
    const auto take = [&text](char letter) {
        if (!text.starts_with(letter)) return false;
        text.remove_prefix(1);
        return true;
    };
    format.minus = take('-');
    format.whole = take_digits(text);
    if (format.whole == 0) return std::nullopt;
    if (take('.') && (format.decimals = take_digits(text)) == 0) return std::nullopt;
    if (take('e')) {
        format.exponent_minus = take('-');
        if (!format.exponent_minus) take('+');
        format.exponent = take_digits(text);
        if (format.exponent == 0) return std::nullopt;
    }
    return text.empty() ? std::optional(format) : std::nullopt;
}

/// A text with its numbers in \num if it has nothing else, as a setting or "0.99 [0.98, 1.00]" has.
std::string text_cell(const std::string& text) {
    constexpr std::string_view between = " [],";
    std::string marked;
    for (std::string_view rest = text; !rest.empty();) {
        const auto end = std::min(rest.find_first_of(between), rest.size());
        if (end == 0) {
            marked += latex_escaped(rest.substr(0, 1));
            rest.remove_prefix(1);
            continue;
        }
        const auto word = rest.substr(0, end);
        if (!number_format(word)) return latex_escaped(text);
        marked += fmt::format("\\num{{{}}}", word);
        rest.remove_prefix(end);
    }
    return marked;
}

/// The format that covers all numbers of a column; absent if it has a text, or no number.
std::optional<NumberFormat> format_of(const Sheet& sheet, std::size_t position) {
    std::optional<NumberFormat> format;
    for (const auto& row : sheet.rows) {
        const auto& cell = row[position];
        const auto number = number_format(cell.text);
        if (sheet.columns[position]->left || (!number && !cell.note && cell.text != "-")) return std::nullopt;
        if (!number || cell.note) continue;
        if (format) {
            format->cover(*number);
        } else {
            format = number;
        }
    }
    return format;
}

}  // namespace

std::string latex_escaped(std::string_view text) {
    std::string escaped;
    const auto shown = printable(text);
    for (const char letter : shown) {
        if (letter == '-' && escaped.ends_with('-')) escaped += "{}";  // two would become a dash
        const auto escape = escape_of(letter);
        if (escape) {
            escaped += *escape;
        } else {
            escaped += letter;
        }
    }
    return escaped;
}

std::string to_latex(const Table& table) {
    const auto sheet = sheet_for_people(table);
    std::vector<bool> of_numbers;
    std::string columns;
    std::vector<std::string> heads;
    for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
        const auto format = format_of(sheet, i);
        of_numbers.push_back(format.has_value());
        columns += format ? fmt::format(" S[table-format={}]", format->text())
                          : std::string(sheet.columns[i]->left ? " l" : " r");
        heads.push_back(fmt::format("{{{}}}", head_of(*sheet.columns[i])));
    }
    auto text = fmt::format(
        "% needs \\usepackage{{adjustbox,booktabs,siunitx}}\n\\begin{{table}}\n  \\centering\n  "
        "\\caption{{{}}}\n  "
        "\\label{{tab:{}}}\n  \\begin{{adjustbox}}{{max width=\\linewidth}}\n  \\begin{{tabular}}{{@{{}}{} "
        "@{{}}}}\n    \\toprule\n    {} \\\\\n    "
        "\\midrule\n",
        latex_escaped(table.title), table.name, columns, fmt::join(heads, " & "));
    for (const auto& row : sheet.rows) {
        std::vector<std::string> cells;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const auto& cell = row[i];
            const bool plain = of_numbers[i] && !cell.note && number_format(cell.text);
            const auto words = cell.absent ? std::string("--") : text_cell(cell.text);
            cells.push_back(plain ? cell.text : of_numbers[i] ? fmt::format("{{{}}}", words) : words);
        }
        text += fmt::format("    {} \\\\\n", fmt::join(cells, " & "));
    }
    return text + "    \\bottomrule\n  \\end{tabular}\n  \\end{adjustbox}\n\\end{table}\n";
}

}  // namespace convoy
