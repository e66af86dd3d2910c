#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "measure/durations.hpp"
#include "measure/idle_times.hpp"
#include "measure/interval.hpp"
#include "measure/records.hpp"

namespace convoy {

/// A row of the operator table, without measurements.
struct OperatorRow {
    std::string operator_name;
    std::string name;
    /// Names of operators that run inside this one; each has a row without times.
    std::vector<std::string> folded;
    std::string pass = {}, kind = {};     ///< distinguish operators of one name, see OperatorRecord
    std::optional<WorkDone> work = {};    ///< work of one call
    std::optional<ExchangeWay> way = {};  ///< of an operator that starts an exchange or waits for one
};

/// The number that a timer gives to an operator of a program. It stands for the row of its calls and for the
/// work of one call.
enum class OperatorRowId : std::size_t {};

/// The times of one exchange, and the times in which the executor stood still for it.
struct ExchangeSpan {
    TimePoint started, began, peers_began, finished;                  ///< see ExchangeTimes
    Interval handover;                                                ///< the executor starts the exchange
    Interval wait;                                                    ///< the executor waits for the exchange
    std::int64_t call = 0;                                            ///< see SliceExchange
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;  ///< payload; absent: not known
};

/// The steps of each epoch that are kept as slices: `count` steps from step `from` on, counted from 1.
struct TracedSteps {
    std::int64_t from = 1, count = 0;

    [[nodiscard]] bool has(std::int64_t step) const { return step >= from && step - from < count; }
};

/// The most trace slices that a node keeps of a whole run.
inline constexpr std::size_t most_trace_slices = 32768;

/// Collects the measurements of the executor in one phase of a run: the time of each operator in each epoch,
/// and trace slices of some steps of each epoch, until there are `most_slices` of them. A step allocates no
/// memory, since begin_epoch makes room. It is not thread-safe: only the thread of the executor uses it.
///
/// Times of an exchange:
///
/// * in flight: finished - started
/// * exposed: the executor's start of the exchange and its wait for it. With more threads than cores, the
///   start may take long, since waking the network thread may cost the executor its core.
/// * hidden: the part of the flight in which the executor neither starts an exchange nor waits for one or
///   for data
/// * skew: peers_began - began. The time in the queue behind this node's own exchanges is not skew.
/// * exposed skew: the part of the skew in which the executor starts the exchange or waits for it. Round a
///   ring, a faster network would not shorten it.
class OperatorTimer {
  public:
    /// traced: steps of an epoch are counted from begin_epoch on. most_slices: the most slices of the whole
    /// run. A step is kept whole or not at all.
    OperatorTimer(std::int64_t node, RunPhase phase, TracedSteps traced,
                  std::size_t most_slices = most_trace_slices);

    /// Finds or adds the row of this operator, name, pass and kind, and returns a number for its calls. A
    /// program for another batch size has the same rows, with other work. Call it while programs are bound,
    /// never within a step.
    OperatorRowId add_row(OperatorRow row);

    /// Begins an epoch (counted from 1), and makes room for `steps` steps with at most calls_per_step calls
    /// of one row.
    void begin_epoch(std::int64_t epoch, std::size_t steps, std::size_t calls_per_step = 1);
    /// Begins a step. step: counted over the run, from 1; slices carry this number.
    void begin_step(std::int64_t step);
    /// Adds the whole of a step, or of the exchanges that the step left under way (examples: 0), as a slice.
    /// It has no row.
    void add_step(Interval step, std::int64_t examples);
    /// Adds one call of an operator.
    void add(OperatorRowId row, TimePoint start, TimePoint end);
    /// Adds one call of an operator that waits for data.
    void add_wait(OperatorRowId row, Interval wait);
    /// Adds one call of an operator that starts an exchange. call: see SliceExchange.
    void add_start(OperatorRowId row, Interval handover, std::int64_t call);
    /// Adds one call of an operator that waits for an exchange. The wait is the operator's time; the times of
    /// the exchange go to CommunicationTimes.
    void add_exchange(OperatorRowId row, const ExchangeSpan& span);

    /// Moves the rows that were called in the epoch, the rows folded into them, and the trace slices into
    /// `records`. The start_us of a slice counts from the epoch of the steady clock.
    void flush(NodeRecords& records);

    /// The rows of the epoch that were called so far.
    [[nodiscard]] std::vector<OperatorTimes> times() const;
    /// Adds the times() of another process to this epoch, which has just begun. Rows of another phase are
    /// ignored.
    void restore(std::span<const OperatorTimes> times);

  private:
    struct Row {
        OperatorRow description = {};
        std::vector<std::size_t> callers = {};  ///< indices in callers_
        Durations durations = {};
        CommunicationTimes communication = {};
        bool communicates = false;
        std::optional<WorkDone> work = {};  ///< work of the calls so far
    };
    /// An operator of one program.
    struct Caller {
        std::size_t row;
        std::optional<WorkDone> work;  ///< work of one call
        bool operator==(const Caller&) const = default;
    };
    struct Slice {
        OperatorRowId row;  ///< not of a whole step
        std::int64_t step;
        Interval time;
        std::optional<std::int64_t> examples = {};  ///< of a whole step
        std::optional<ExchangePart> part = {};
        /// The exchange, if it is the slice of one; its times, if it is the slice of a flight.
        ExchangeSpan exchange = {};
    };
    /// No step has more slices than this.
    [[nodiscard]] std::size_t slices_of_a_step() const {
        constexpr std::size_t whole = 2;  // the step, and the end of the exchanges that it left under way
        return whole + 2 * rows_.size() * most_calls_per_step_;
    }
    /// Counts the row's call of this duration.
    void count(OperatorRowId row, Interval time);
    void keep(const Slice& slice);
    [[nodiscard]] TraceSlice record(const Slice& slice) const;
    [[nodiscard]] Row& row_of(OperatorRowId id) { return rows_[callers_[static_cast<std::size_t>(id)].row]; }
    [[nodiscard]] OperatorRecord record(const Row& row) const;

    std::int64_t node_;
    RunPhase phase_;
    TracedSteps traced_steps_;
    std::size_t slices_left_;              ///< that the run may still keep
    std::size_t most_calls_per_step_ = 1;  ///< of one row
    bool traced_ = false;                  ///< this step is kept as slices
    std::int64_t epoch_ = 0;
    std::int64_t step_ = 0;
    std::int64_t steps_in_epoch_ = 0;
    std::vector<Row> rows_;
    /// By operator, name, pass and kind: the index in rows_.
    std::map<std::array<std::string, 4>, std::size_t> row_by_key_;
    std::vector<Caller> callers_;  ///< by id
    std::vector<Slice> slices_;
    IdleTimes idle_;         ///< of this step: starting exchanges, waiting for them and for data
    IdleTimes idle_before_;  ///< of the step before, in which an exchange may have begun
};

}  // namespace convoy
