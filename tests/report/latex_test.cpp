#include "report/latex.hpp"

#include <catch2/catch.hpp>

#include "example_run.hpp"
#include "report/render.hpp"
#include "report/tables.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

Table with_column(Column column, std::vector<Cell> cells) {
    Table table{"t", "T", {std::move(column)}, {}};
    for (auto& cell : cells) table.rows.push_back({std::move(cell)});
    return table;
}

Column number(int decimals) {
    return {.name = "x", .unit = "", .left = false, .shown = {"", 1.0, decimals}};
}

Column words() {
    return {.name = "x", .unit = "", .left = true, .shown = {}};
}

}  // namespace

TEST_CASE("a table for LaTeX has S columns with their digits, units in their heads, and escaped texts") {
    Table table{"operator_totals", "Time & cost of 50% {a_b}", {}, {}};
    table.columns = {{.name = "operator", .unit = "", .left = true, .shown = {}},
                     {.name = "total_time", .unit = "us", .shown = {"ms", 1e3, 2}},
                     {.name = "share", .unit = "pct", .shown = {}},
                     {.name = "calls", .unit = "", .shown = {}},
                     {.name = "why", .unit = "", .left = true, .shown = {}, .scripts_only = true}};
    table.rows = {{"_FusedConv2D", 12345678.9, 50.0, std::int64_t{12}, "x"},
                  {"[1]", Note{"in _FusedConv2D", true}, Cell(), std::int64_t{-7}, Cell()},
                  {"96", Note{"hidden", false}, 100.0, Cell(), Cell()}};
    CHECK("\n" + to_latex(table) == R"(
% needs \usepackage{adjustbox,booktabs,siunitx}
\begin{table}
  \centering
  \caption{Time \& cost of 50\% \{a\_b\}}
  \label{tab:operator_totals}
  \begin{adjustbox}{max width=\linewidth}
  \begin{tabular}{@{} l S[table-format=5.2] S[table-format=3.1] S[table-format=-2] @{}}
    \toprule
    {operator} & {total time (\si{\milli\second})} & {share (\si{\percent})} & {calls} \\
    \midrule
    \_FusedConv2D & 12345.68 & 50.0 & 12 \\
    {[}\num{1}{]} & {in \_FusedConv2D} & {--} & -7 \\
    \num{96} & {} & 100.0 & {--} \\
    \bottomrule
  \end{tabular}
  \end{adjustbox}
\end{table}
)");
}

TEST_CASE("LaTeX prints every character of a text as it is") {
    CHECK(
        latex_escaped(R"(\input{/etc/passwd} $x^2$ 50% #1 & a_b ~ <|> "q" [x] *)") ==
        R"(\textbackslash{}input\{/etc/passwd\} \$x\textasciicircum{}2\$ 50\% \#1 \& a\_b \textasciitilde{} )"
        R"(\textless{}\textbar{}\textgreater{} \char34{}q\char34{} {[}x{]} {*})");
    CHECK(latex_escaped("--set ---") == "-{}-set -{}-{}-");
    CHECK(latex_escaped("a\nb\x1b\xff") == R"(a\textbackslash{}nb\textbackslash{}x1b\textbackslash{}xff)");
    CHECK(latex_escaped("µ …") == "µ …");
}

TEST_CASE("every printable character of ASCII is either harmless to LaTeX or escaped") {
    const std::string special = R"(\{}$&#^_%~<>|"[]*`')";
    for (char letter = ' '; letter < 0x7f; ++letter) {
        const auto escaped = latex_escaped(std::string(1, letter));
        CAPTURE(letter);
        CHECK((escaped == std::string(1, letter)) == (special.find(letter) == std::string::npos));
    }
}

TEST_CASE("the format of an S column covers all its numbers") {
    CHECK_THAT(to_latex(with_column(number(4), {0.5, 1440715572026674511872.0, -3.25})),
               Contains("S[table-format=-1.5e2]") && Contains("    1.44072e+21 \\\\\n"));
    CHECK_THAT(to_latex(with_column(number(0), {1.0, 123.0})), Contains("S[table-format=3]"));
    CHECK_THAT(to_latex(with_column(number(1), {1e-9})), Contains("S[table-format=1.1]"));
    // Without a number there is no S column, which would have no width.
    CHECK_THAT(to_latex(with_column(number(1), {Cell()})),
               Contains("@{} r @{}") && Contains("    -- \\\\\n"));
}

TEST_CASE("numbers among brackets stand in the macro num, and words do not") {
    CHECK_THAT(to_latex(with_column(words(), {"0.99 [0.98, 1e+06]"})),
               Contains("    \\num{0.99} {[}\\num{0.98}, \\num{1e+06}{]} \\\\\n"));
    CHECK_THAT(to_latex(with_column(words(), {"[3, x_y]", "1.", "-", "1e", "2-3"})),
               Contains("    {[}3, x\\_y{]} \\\\\n    1. \\\\\n    - \\\\\n    1e \\\\\n    2-3 \\\\\n"));
}

TEST_CASE("every table of a run has LaTeX of one shape, whatever it holds") {
    auto results = example_results();
    results.name = "50%_of {x}";
    for (const auto& named : named_tables()) {
        const auto table = named.make(results);
        const auto text = render(table, TableFormat::latex);
        CAPTURE(text);
        const auto count = [&text](std::string_view part) {
            std::size_t found = 0;
            for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
            return found;
        };
        std::size_t shown = 0;
        for (const auto& column : table.columns) shown += column.scripts_only ? 0 : 1;
        CHECK(count(" \\\\\n") == table.rows.size() + 1);
        CHECK(count(" & ") == (shown - 1) * (table.rows.size() + 1));
        CHECK(count("\\begin{") == count("\\end{"));
        CHECK_THAT(text, Contains("\\label{tab:" + std::string(named.name) + "}"));
    }
}

TEST_CASE("several tables for LaTeX stand one below the other") {
    const std::vector<Table> tables{with_column(words(), {"a"}), with_column(words(), {"b"})};
    CHECK(table_format("latex") == TableFormat::latex);
    CHECK(render_all(tables, TableFormat::latex) == to_latex(tables[0]) + "\n" + to_latex(tables[1]));
}
