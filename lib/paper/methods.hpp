#pragma once

#include <string>
#include <vector>

#include "paper/settled_sweep.hpp"

namespace convoy {

/// The methods paragraph of a paper, sentence by sentence: the runs and their settings, the training,
/// convoy's version, commit and build, machines, data with the beginnings of their digests, the statistics of
/// the tables, and the verdicts on the measurements. All of it is from the runs' environment.json,
/// summary.json and spec.json; what runs of one sweep have in different ways is told of each way.
std::vector<std::string> methods(const SettledSweep& sweep);

/// The paragraph for LaTeX, and in Markdown.
std::string methods_latex(const SettledSweep& sweep);
std::string methods_markdown(const SettledSweep& sweep);

}  // namespace convoy
