#pragma once

#include <string>

#include "report/journal_folder.hpp"
#include "report/run_record.hpp"
#include "report/trace.hpp"

namespace convoy {

/// The trace of a run, which is read from its journals. results: of the run. environment: as in RunRecord; of
/// a run that was killed it may know less, and it may be damaged. journals must outlive the result.
TraceSource trace_source(const JournalFolder& journals, const RunResults& results,
                         const std::string& environment);

}  // namespace convoy
