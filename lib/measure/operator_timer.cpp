#include "measure/operator_timer.hpp"

#include <algorithm>
#include <utility>

namespace convoy {

namespace {

double microseconds(Clock::duration duration) {
    return Microseconds(duration).count();
}

double length_us(Interval interval) {
    return microseconds(interval.end - interval.start);
}

/// Length of the part that two intervals share.
double overlap_us(Interval one, Interval other) {
    return std::max(0.0, length_us({std::max(one.start, other.start), std::min(one.end, other.end)}));
}

/// The part of a flight in which no peer had begun.
Interval skew_of(const ExchangeSpan& span) {
    return {span.began, std::clamp(span.peers_began, span.began, span.finished)};
}

}  // namespace

OperatorTimer::OperatorTimer(std::int64_t node, RunPhase phase, TracedSteps traced, std::size_t most_slices)
    : node_(node), phase_(phase), traced_steps_(traced), slices_left_(most_slices) {}

OperatorRowId OperatorTimer::add_row(OperatorRow row) {
    const auto [found, added] =
        row_by_key_.try_emplace({row.operator_name, row.name, row.pass, row.kind}, rows_.size());
    const Caller caller{found->second, row.work};
    if (added) rows_.emplace_back().description = std::move(row);
    auto& callers = rows_[caller.row].callers;
    const auto known = std::ranges::find_if(callers, [&](std::size_t id) { return callers_[id] == caller; });
    if (known != callers.end()) return static_cast<OperatorRowId>(*known);
    callers_.push_back(caller);
    callers.push_back(callers_.size() - 1);
    return static_cast<OperatorRowId>(callers_.size() - 1);
}

void OperatorTimer::begin_epoch(std::int64_t epoch, std::size_t steps, std::size_t calls_per_step) {
    epoch_ = epoch;
    steps_in_epoch_ = 0;
    for (auto& row : rows_) row.durations.reserve(steps * calls_per_step);
    most_calls_per_step_ = calls_per_step;
    const auto traced =
        std::min(steps, static_cast<std::size_t>(std::max<std::int64_t>(traced_steps_.count, 0)));
    slices_.reserve(std::min(traced * slices_of_a_step(), slices_left_));
    for (auto* idle : {&idle_, &idle_before_}) idle->reserve(rows_.size() * calls_per_step);
}

void OperatorTimer::begin_step(std::int64_t step) {
    step_ = step;
    ++steps_in_epoch_;
    traced_ = traced_steps_.has(steps_in_epoch_) && slices_of_a_step() <= slices_left_;
    std::swap(idle_, idle_before_);
    idle_.clear();
}

void OperatorTimer::add_step(Interval step, std::int64_t examples) {
    keep({.row = {}, .step = step_, .time = step, .examples = examples});
}

void OperatorTimer::count(OperatorRowId row, Interval time) {
    auto& target = row_of(row);
    target.durations.add(length_us(time));
    if (const auto& work = callers_[static_cast<std::size_t>(row)].work) {
        if (!target.work) target.work.emplace();
        *target.work += *work;
    }
}

void OperatorTimer::add(OperatorRowId row, TimePoint start, TimePoint end) {
    count(row, {start, end});
    keep({.row = row, .step = step_, .time = {start, end}});
}

void OperatorTimer::add_wait(OperatorRowId row, Interval wait) {
    add(row, wait.start, wait.end);
    idle_.add(wait);
}

void OperatorTimer::add_start(OperatorRowId row, Interval handover, std::int64_t call) {
    count(row, handover);
    idle_.add(handover);
    Slice slice{.row = row, .step = step_, .time = handover, .part = ExchangePart::start};
    slice.exchange.call = call;
    keep(slice);
}

void OperatorTimer::add_exchange(OperatorRowId row, const ExchangeSpan& span) {
    count(row, span.wait);
    keep({.row = row, .step = step_, .time = span.wait, .part = ExchangePart::wait, .exchange = span});
    keep({.row = row,
          .step = step_,
          .time = {span.started, span.finished},
          .part = ExchangePart::flight,
          .exchange = span});
    idle_.add(span.wait);

    const double in_flight = std::max(0.0, microseconds(span.finished - span.started));
    const Interval flight{span.started, span.finished};
    const auto idle = microseconds(idle_before_.within(flight) + idle_.within(flight));

    auto& target = row_of(row);
    target.communicates = true;
    const auto skew = skew_of(span);
    target.communication +=
        {.in_flight_us = in_flight,
         .hidden_us = std::max(0.0, in_flight - idle),
         .exposed_us = length_us(span.handover) + length_us(span.wait),
         .skew_us = length_us(skew),
         .exposed_skew_us = overlap_us(skew, span.handover) + overlap_us(skew, span.wait)};
}

void OperatorTimer::keep(const Slice& slice) {
    if (!traced_ || slices_left_ == 0) return;
    --slices_left_;
    slices_.push_back(slice);
}

OperatorRecord OperatorTimer::record(const Row& row) const {
    const auto figures = row.durations.statistics();
    OperatorRecord result;
    result.node = node_;
    result.epoch = epoch_;
    result.phase = phase_;
    result.operator_name = row.description.operator_name;
    result.name = row.description.name;
    result.calls = figures.calls;
    result.total_us = figures.total;
    result.mean_us = figures.mean;
    result.p50_us = figures.p50;
    result.p99_us = figures.p99;
    if (row.communicates) result.communication = row.communication;
    result.pass = row.description.pass;
    result.kind = row.description.kind;
    result.work = row.work;
    return result;
}

void OperatorTimer::flush(NodeRecords& records) {
    for (auto& row : rows_) {
        if (row.durations.calls() == 0) continue;
        records.operators.push_back(record(row));
        for (const auto& folded : row.description.folded) {
            OperatorRecord inside;
            inside.node = node_;
            inside.epoch = epoch_;
            inside.phase = phase_;
            inside.operator_name = folded;
            inside.name = row.description.name;
            inside.folded_into = row.description.operator_name;
            inside.pass = row.description.pass;
            inside.kind = row.description.kind;
            records.operators.push_back(std::move(inside));
        }
        row.durations.clear();
        row.communication = {};
        row.communicates = false;
        row.work.reset();
    }
    for (const auto& slice : slices_) records.trace.push_back(record(slice));
    slices_.clear();
}

TraceSlice OperatorTimer::record(const Slice& slice) const {
    TraceSlice result{.node = node_,
                      .track = "compute",
                      .operator_name = {},
                      .name = {},
                      .step = slice.step,
                      .start_us = microseconds(slice.time.start.time_since_epoch()),
                      .duration_us = length_us(slice.time),
                      .epoch = epoch_,
                      .examples = slice.examples};
    if (slice.examples) {
        result.track = "step";
        return result;
    }
    const auto& row = rows_[callers_[static_cast<std::size_t>(slice.row)].row].description;
    result.operator_name = row.operator_name;
    result.name = row.name;
    result.pass = row.pass;
    if (!slice.part) return result;
    const auto& span = slice.exchange;
    auto& exchange = result.exchange.emplace();
    exchange.part = *slice.part;
    exchange.call = span.call;
    if (row.way) exchange.way = *row.way;
    exchange.sent_bytes = span.sent_bytes;
    exchange.received_bytes = span.received_bytes;
    if (slice.part != ExchangePart::flight) return result;
    result.track = "communication";
    exchange.queued_us = std::max(0.0, length_us({span.started, span.began}));
    exchange.skew_us = length_us(skew_of(span));
    return result;
}

std::vector<OperatorTimes> OperatorTimer::times() const {
    std::vector<OperatorTimes> called;
    for (const auto& row : rows_) {
        if (row.durations.calls() == 0) continue;
        const auto durations = row.durations.values();
        auto& times = called.emplace_back();
        times.phase = phase_;
        times.operator_name = row.description.operator_name;
        times.name = row.description.name;
        times.total_us = row.durations.total();
        times.durations_us.assign(durations.begin(), durations.end());
        if (row.communicates) times.communication = row.communication;
        times.pass = row.description.pass;
        times.kind = row.description.kind;
        times.work = row.work;
    }
    return called;
}

void OperatorTimer::restore(std::span<const OperatorTimes> times) {
    for (const auto& called : times) {
        if (called.phase != phase_) continue;
        auto& row = row_of(add_row({called.operator_name, called.name, {}, called.pass, called.kind}));
        row.durations.restore(called.durations_us, called.total_us);
        row.communicates = called.communication.has_value();
        row.communication = called.communication.value_or(CommunicationTimes{});
        row.work = called.work;
    }
}

}  // namespace convoy
