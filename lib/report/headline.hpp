#pragma once

#include <optional>
#include <string>

#include "report/run_record.hpp"
#include "report/step_breakdown.hpp"
#include "report/step_findings.hpp"

namespace convoy {

/// The run in some words: "mnist_cnn on mnist: 4 nodes, ring_allreduce, batch 128, adadelta, 2 epochs". spec:
/// JSON text; values that it does not have are left out.
std::string run_in_words(const RunResults& results, const std::string& spec);

/// The machines in some words: "vm, AMD EPYC, 2 usable cores; 1 thread a node". environment: JSON text.
std::string machines_in_words(const RunResults& results, const std::string& environment);

/// What limited the run, which node was slow, and how much communication was hidden, in some sentences. Empty
/// without steps.
std::string findings_in_words(const StepBreakdown& breakdown, const std::optional<StepFindings>& findings);

/// The head of a run's page, as HTML: all of these, the result, and whether to trust the times.
std::string html_headline(const RunResults& results, const StepBreakdown& breakdown, const std::string& spec,
                          const std::string& environment);

}  // namespace convoy
