#pragma once

#include "paper/settled_sweep.hpp"
#include "report/table.hpp"

namespace convoy {

/// A sweep that was run again, beside what was published of it.
struct Reproduction {
    /// One row for each published setting. `result` is "same bits" if all runs have the weights that were
    /// published, "same within noise", "different", "too few runs" or "not run"; `differs` names what
    /// differs between its runs: data, version, commit, build options, machine, step time, accuracy, in this
    /// order. (ARCHIVE.md)
    Table table;
    bool same = true;  ///< all results are the same, in bits or within noise
};

/// Compares two sweeps over the same fields. Runs with the same settings and repeat belong together, whatever
/// their identity. Throws DataError if the fields differ.
Reproduction reproduction_of(const SettledSweep& published, const SettledSweep& again);

}  // namespace convoy
