#pragma once

#include <sstream>
#include <string>

#include "sweep/sweep_measures.hpp"
#include "sweep/sweep_rows.hpp"

namespace convoy::test {

/// The rows of a runs.csv, as figures need them.
inline SweepRows measured_rows(const std::string& csv) {
    std::istringstream text(csv);
    return read_sweep_rows(text, "runs.csv", measured_columns, further_columns);
}

/// A sweep over 1, 2 and 4 nodes, two batch sizes and two strategies with two repeats; one run is noisy.
inline SweepRows scaling_rows() {
    std::string csv =
        "batch_size,nodes,strategy,repeat,seed,run_id,state,examples_per_second,step_p50_us,measurement\n";
    for (const int repeat : {0, 1})
        for (const int batch : {32, 64})
            for (const int nodes : {4, 1, 2})
                for (const bool ring : {true, false})
                    csv += std::to_string(batch) + "," + std::to_string(nodes) + "," +
                           (ring ? "ring" : R"("{""name"":""local_sgd"",""average_every"":8}")") + "," +
                           std::to_string(repeat) + ",1,id,done," +
                           std::to_string((ring ? 100 : 50) * nodes * batch / 32 * (repeat + 1)) + ",1000," +
                           (repeat == 1 && nodes == 4 && ring && batch == 64 ? "noisy" : "quiet") + "\n";
    return measured_rows(csv);
}

}  // namespace convoy::test
