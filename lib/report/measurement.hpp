#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/core_demand.hpp"
#include "report/run_record.hpp"
#include "report/table.hpp"

namespace convoy {

/// Whether the times of a run can be trusted.
enum class Verdict : std::uint8_t {
    quiet,   ///< the run had its machines for itself
    noisy,   ///< others used them too
    invalid  ///< the nodes had to share cores: no machine is quiet enough for this run
};
std::string_view verdict_name(Verdict verdict);

/// The verdict on a run, and figures behind it.
struct Measurement {
    Verdict verdict = Verdict::quiet;
    std::vector<Finding> causes;  ///< the worst first; empty if the run was quiet
    /// Cores that other processes used, as a mean over the time; of the machine with the most.
    std::optional<double> others_cores;
    std::optional<double> steal_pct;   ///< of all cores; of the machine with the most
    std::optional<double> waited_pct;  ///< threads waited for a core, of one core; of the node with the most
};

/// The verdict on a run. Absent if a node did not tell what it saw, as in folders of older versions, while a
/// run is under way, and where a node was killed.
std::optional<Measurement> measurement_of(const RunResults& results);

/// "before 43% of the steps a core was slow, ...", with what to look at. Empty if cores were seldom slow, and
/// where the run is invalid: its own threads make them slow.
std::string slow_core_text(const RunResults& results, Verdict verdict);

/// One line for each cause, as in "measurement: noisy: other processes used 0.9 of 2 cores; ...", or
/// "measurement: quiet", and one if a core was often slow; each ends in a line feed. If there is no verdict:
/// one line with the reason.
std::string measurement_lines(const RunResults& results);

/// Why measurement_of() has no verdict on a run, in words.
inline constexpr std::string_view no_verdict_reason = "not all nodes told how they shared their machines";

/// The value of `measurement` in summary.json; null if there is no verdict.
nlohmann::json measurement_json(const RunResults& results);

/// What each node saw: one row for each.
Table measurement_table(const RunResults& results);

}  // namespace convoy
