#include "sweep/sweep_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "report/figure.hpp"
#include "report/html.hpp"
#include "report/render.hpp"
#include "sweep/sweep_plots.hpp"
#include "sweep/sweep_tables.hpp"

namespace convoy {

std::string sweep_page(const Sweep& sweep, std::span<const SweepEntry> entries, const Gnuplot& gnuplot) {
    const auto runs = runs_table(sweep, entries);
    const auto done = std::ranges::count(entries, RunState::done, &SweepEntry::state);
    // By way of the file's text: what is drawn is what `convoy report --plot` draws from it later.
    std::istringstream text(to_csv(runs));
    const auto plots = step_time_plots(text, "runs.csv");
    return html_page(fmt::format("{}, {} of {} runs done", sweep.name, done, sweep.runs.size()),
                     html_lines(trust_lines(sweep, entries), false) + html_figures(plots, gnuplot) +
                         html_table(medians_table(sweep, entries)) + html_table(runs));
}

}  // namespace convoy
