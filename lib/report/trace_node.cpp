#include "report/trace_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::string_view step_track = "step";
constexpr std::string_view communication_track = "communication";
constexpr std::string_view communication_pass = "communication";

/// The colours of waiting, in chrome://tracing.
constexpr std::string_view exposed_colour = "bad", skew_colour = "terrible", queued_colour = "grey",
                           flight_colour = "good", data_colour = "yellow";

/// "conv2d_1 Conv2D" for the kernel _FusedConv2D of conv2d_1.
std::string name_of(const TraceSlice& slice) {
    std::string_view name = slice.operator_name;
    for (const std::string_view prefix : {"_Fused", "_"}) {
        if (!name.starts_with(prefix)) continue;
        name.remove_prefix(prefix.size());
        break;
    }
    const bool waits = slice.exchange && slice.exchange->part == ExchangePart::wait;
    return fmt::format("{} {}{}", slice.name, name, waits ? " wait" : "");
}

std::string_view colour_of(const TraceSlice& slice) {
    if (!slice.exchange) return is_of_data(slice.operator_name) ? data_colour : "";
    return slice.exchange->part == ExchangePart::flight ? flight_colour : exposed_colour;
}

/// The arguments that say in which step a slice is. Journals of older versions have no epochs.
json step_of(const TraceSlice& slice) {
    json all{{"step", slice.step}};
    if (slice.epoch > 0) all["epoch"] = slice.epoch;
    return all;
}

/// A slice of the executor's thread: a step, a pass or an operator.
struct Box {
    enum class Kind : std::uint8_t { step, pass, operation };
    Kind kind;
    const PlacedSlice* placed;  ///< of a pass: its first operator
    TraceTime time;
};

/// Makes the passes of a node out of its operators, which come in the order of time.
class Passes {
  public:
    void add(const PlacedSlice& placed) {
        const auto& slice = *placed.slice;
        if (slice.pass.empty()) return;
        const bool other_step = open_ && open_->placed->slice->step != slice.step;
        if (other_step) close();
        if (slice.pass == communication_pass) {
            widen(waiting_, placed);
            return;
        }
        if (open_ && open_->placed->slice->pass != slice.pass) close();
        if (!open_) close();
        waiting_.reset();
        widen(open_, placed);
    }
    /// Ends the pass that is open, and the exchanges behind it, which are a pass of their own.
    void close() {
        for (auto* each : {&open_, &waiting_}) {
            if (*each) boxes_.push_back(**each);
            each->reset();
        }
    }
    [[nodiscard]] const std::vector<Box>& boxes() const { return boxes_; }

  private:
    static void widen(std::optional<Box>& box, const PlacedSlice& placed) {
        if (!box) box = Box{Box::Kind::pass, &placed, placed.time};
        box->time.end_ns = std::max(box->time.end_ns, placed.time.end_ns);
    }

    std::vector<Box> boxes_;
    std::optional<Box> open_, waiting_;
};

/// Writes the executor's thread.
class ExecutorThread {
  public:
    ExecutorThread(TraceThread on, const NodeExchanges& exchanges, TraceEvents& events)
        : on_(on), exchanges_(exchanges), events_(events) {}

    /// Boxes come in the order of time, the outer before the inner.
    void write(Box box) {
        while (!around_.empty() && around_.back() <= box.time.start_ns) around_.pop_back();
        // The clock may have counted the end of an inner slice a little behind the end of the outer.
        if (!around_.empty()) box.time.end_ns = std::min(box.time.end_ns, around_.back());
        around_.push_back(box.time.end_ns);
        const auto& slice = *box.placed->slice;
        switch (box.kind) {
            case Box::Kind::step: write_step(slice, box.time); break;
            case Box::Kind::pass: events_.slice(on_, box.time, {slice.pass, "pass"}, step_of(slice)); break;
            case Box::Kind::operation: write_operator(*box.placed, box.time); break;
        }
    }

  private:
    void write_step(const TraceSlice& slice, const TraceTime& time) {
        const bool rest = std::exchange(last_step_, slice.step) == slice.step;
        auto arguments = step_of(slice);
        if (slice.examples) arguments["examples"] = *slice.examples;
        events_.slice(on_, time, {fmt::format("{}step {}", rest ? "rest of " : "", slice.step), "step"},
                      std::move(arguments));
    }
    void write_operator(const PlacedSlice& placed, const TraceTime& time) {
        const auto& slice = *placed.slice;
        auto arguments = slice.exchange ? exchanges_.arguments(slice) : json::object();
        arguments.update(step_of(slice));
        arguments["name"] = slice.name;
        arguments["operator"] = slice.operator_name;
        if (!slice.pass.empty()) arguments["pass"] = slice.pass;
        events_.slice(on_, time, {name_of(slice), slice.track, colour_of(slice)}, std::move(arguments));
        if (!slice.exchange) return;
        exchanges_.write_arrow({placed.slice, time}, on_);
        const auto skew = exchanges_.skew(slice);
        if (!skew) return;
        const TraceTime exposed{std::max(skew->start_ns, time.start_ns), std::min(skew->end_ns, time.end_ns)};
        if (exposed.end_ns > exposed.start_ns)
            events_.slice(on_, exposed, {"skew", "skew", skew_colour}, json::object());
    }

    TraceThread on_;
    const NodeExchanges& exchanges_;
    TraceEvents& events_;
    std::vector<std::int64_t> around_;  // ends of the slices around the next one
    std::int64_t last_step_ = 0;
};

/// Hands out the threads of flights: the first that is free at the start of a flight.
class FlightThreads {
  public:
    FlightThreads(std::int64_t process, TraceEvents& events) : process_(process), events_(events) {}

    TraceThread thread_for(const TraceTime& time) {
        auto free = std::ranges::find_if(ends_, [&](std::int64_t end) { return end <= time.start_ns; });
        const TraceThread thread{process_, free - ends_.begin() + 1};
        if (free == ends_.end()) {
            const auto name = thread.thread == 1 ? std::string(communication_track)
                                                 : fmt::format("{} {}", communication_track, thread.thread);
            events_.metadata("thread_name", thread, {{"name", name}});
            events_.metadata("thread_sort_index", thread, {{"sort_index", thread.thread}});
            free = ends_.insert(free, 0);
        }
        *free = time.end_ns;
        return thread;
    }

  private:
    std::int64_t process_;
    TraceEvents& events_;
    std::vector<std::int64_t> ends_;  // by thread, from 1
};

void write_flight(const PlacedSlice& placed, const TraceThread& on, const NodeExchanges& exchanges,
                  TraceEvents& events) {
    const auto& slice = *placed.slice;
    auto arguments = slice.exchange ? exchanges.arguments(slice) : json::object();
    arguments.update(step_of(slice));
    arguments["name"] = slice.name;
    arguments["operator"] = slice.operator_name;
    events.slice(on, placed.time, {name_of(slice), slice.track, flight_colour}, std::move(arguments));
    if (!slice.exchange) return;
    exchanges.write_arrow(placed, on);
    const auto skew = exchanges.skew(slice);
    const auto began = exchanges.began_ns(placed);
    if (began > placed.time.start_ns)
        events.slice(on, {placed.time.start_ns, began}, {"queued", "queued", queued_colour}, json::object());
    if (skew) events.slice(on, *skew, {"skew", "skew", skew_colour}, json::object());
}

/// The boxes of the executor's thread, in the order in which they are written.
std::vector<Box> boxes_of(std::span<const PlacedSlice> executor) {
    Passes passes;
    std::vector<Box> boxes;
    for (const auto& placed : executor) {
        const bool step = placed.slice->track == step_track;
        boxes.push_back({step ? Box::Kind::step : Box::Kind::operation, &placed, placed.time});
        if (step) {
            passes.close();
        } else {
            passes.add(placed);
        }
    }
    passes.close();
    boxes.insert(boxes.end(), passes.boxes().begin(), passes.boxes().end());
    std::ranges::stable_sort(boxes, {},
                             [](const Box& box) { return std::pair(box.time.start_ns, box.kind); });
    return boxes;
}

}  // namespace

void write_node_slices(std::span<const TraceSlice> slices, const TraceClock& clock, TraceEvents& events,
                       RankArrows& arrows) {
    std::vector<PlacedSlice> placed;
    placed.reserve(slices.size());
    for (const auto& slice : slices) {
        const auto end_us = slice.start_us + slice.duration_us;
        placed.push_back({&slice, {clock.launcher_ns(slice.start_us), clock.launcher_ns(end_us)}});
    }
    std::ranges::stable_sort(placed, {}, [](const PlacedSlice& one) {
        const auto& track = one.slice->track;
        return std::tuple(track == communication_track, one.time.start_ns, track != step_track);
    });
    const auto flights = std::ranges::find(
        placed, communication_track, [](const PlacedSlice& one) -> auto& { return one.slice->track; });
    const std::span executor(placed.begin(), flights);
    const auto process = slices.front().node;
    const NodeExchanges exchanges(placed, clock, events);

    const TraceThread first{process, 0};
    events.metadata("thread_name", first, {{"name", "compute"}});
    events.metadata("thread_sort_index", first, {{"sort_index", 0}});
    ExecutorThread thread(first, exchanges, events);
    for (const auto& box : boxes_of(executor)) thread.write(box);

    FlightThreads threads(process, events);
    for (const auto& flight : std::span(flights, placed.end())) {
        const auto on = threads.thread_for(flight.time);
        write_flight(flight, on, exchanges, events);
        if (flight.slice->exchange) arrows.add(flight, on);
    }
}

}  // namespace convoy
