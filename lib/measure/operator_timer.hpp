#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "measure/durations.hpp"
#include "measure/records.hpp"

namespace convoy {

/// A row of the operator table before it has figures.
struct OperatorRow {
    std::string operator_name;
    std::string name;
    std::vector<std::string>
        folded;  ///< operator names that run inside this one; each gets a row without figures
    std::string pass = {}, kind = {};   ///< tell operators of one name apart, see OperatorRecord
    std::optional<WorkDone> work = {};  ///< of one call
};

/// What a timer gave for an operator of a program: the row that its calls go to, and the work of each.
enum class OperatorRowId : std::size_t {};

struct Interval {
    TimePoint start, end;
};

/// When one collective happened, and when the executor stood still for it.
struct CollectiveSpan {
    TimePoint started, began, peers_began, finished;  ///< as the communicator tells them
    Interval handover;                                ///< the executor's start of it
    Interval wait;                                    ///< the executor's wait for it
};

/// Collects what the executor measures in one phase of a run: time per operator and epoch, and trace slices
/// of the first steps of each epoch. Within a step nothing is allocated once begin_epoch has made room. Not
/// thread-safe: it belongs to the thread that executes.
///
/// Times of a collective: in flight is finished - started. Exposed is the executor's wait for it, and its
/// start of it: where threads outnumber cores, waking the network's may cost the executor its core. Hidden is
/// the part of its flight in which the executor neither started nor waited for it or another collective. Skew
/// is peers_began - began: the time that it was queued behind this node's own collectives is nobody's fault.
/// Exposed skew is what of the executor's start and wait lies in the skew: round a ring, a faster network
/// would not shorten it.
class OperatorTimer {
  public:
    /// trace_steps: steps of each epoch that are kept as slices, 0 for none.
    OperatorTimer(std::int64_t node, RunPhase phase, std::int64_t trace_steps);

    /// The row of this operator, name, pass and kind: a new one, or the one that is there already (a program
    /// for another batch size has the same operators, with other work). Call it while binding, never within a
    /// step.
    OperatorRowId add_row(OperatorRow row);

    /// Begins an epoch (counted from 1) and makes room for so many steps with at most calls_per_step
    /// additions to one row.
    void begin_epoch(std::int64_t epoch, std::size_t steps, std::size_t calls_per_step = 1);
    /// Begins a step; step is counted over the run from 1 and names the slices.
    void begin_step(std::int64_t step);
    /// One call of an operator.
    void add(OperatorRowId row, TimePoint start, TimePoint end);
    /// One call of an operator that starts a collective, or waits for data.
    void add_wait(OperatorRowId row, Interval wait);
    /// One call of an operator that waits for a collective: the wait is its time, the flight stands beside
    /// it.
    void add_collective(OperatorRowId row, const CollectiveSpan& span);

    /// Moves the epoch's rows that were called, with the rows folded into them, and its trace slices into
    /// records. Slices' start_us is the time since the steady clock's epoch.
    void flush(NodeRecords& records);

    /// The rows of the epoch that were called so far.
    [[nodiscard]] std::vector<OperatorTimes> times() const;
    /// Puts what times() said in another process into this epoch, which has just begun. Rows of another phase
    /// are left out.
    void restore(std::span<const OperatorTimes> times);

  private:
    struct Row {
        OperatorRow description = {};
        Durations durations = {};
        CommunicationTimes communication = {};
        bool communicates = false;
        std::optional<WorkDone> work = {};  ///< of the calls so far that tell it
    };
    /// An operator of one program.
    struct Caller {
        std::size_t row;
        std::optional<WorkDone> work;  ///< of one call
        bool operator==(const Caller&) const = default;
    };
    struct Slice {
        OperatorRowId row;
        std::int64_t step;
        TimePoint start, end;
        bool in_flight;
    };
    void keep_slice(OperatorRowId row, TimePoint start, TimePoint end, bool in_flight);
    [[nodiscard]] Row& row_of(OperatorRowId id) { return rows_[callers_[static_cast<std::size_t>(id)].row]; }
    [[nodiscard]] OperatorRecord record(const Row& row) const;

    std::int64_t node_;
    RunPhase phase_;
    std::int64_t trace_steps_;
    std::int64_t epoch_ = 0;
    std::int64_t step_ = 0;
    std::int64_t steps_in_epoch_ = 0;
    std::vector<Row> rows_;
    std::vector<Caller> callers_;  ///< by id
    std::vector<Slice> slices_;
    std::vector<Interval> idle_;  ///< of this step: starting collectives, waiting for them and for data
    std::vector<Interval> idle_before_;  ///< of the step before, in which a collective may have begun
};

}  // namespace convoy
