#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "report/trace_clock.hpp"
#include "report/trace_events.hpp"

/// Included only by the sources of the trace.
namespace convoy {

/// A slice with its place in the trace.
struct PlacedSlice {
    const TraceSlice* slice = nullptr;
    TraceTime time;
};

/// The exchanges of one node: its slices of a start, a flight and a wait belong together. An arrow goes from
/// the first of them to the last.
class NodeExchanges {
  public:
    /// slices: those of the node; they must outlive this object.
    NodeExchanges(std::span<const PlacedSlice> slices, const TraceClock& clock, TraceEvents& events);

    /// The arguments of the slice of an exchange.
    [[nodiscard]] nlohmann::json arguments(const TraceSlice& slice) const;
    /// The time in which no peer had begun; absent if there was none.
    [[nodiscard]] std::optional<TraceTime> skew(const TraceSlice& slice) const;
    /// The end of a flight's time in the queue.
    [[nodiscard]] std::int64_t began_ns(const PlacedSlice& flight) const;
    /// Writes the part of the arrow that belongs to the slice of an exchange, which has been written.
    void write_arrow(const PlacedSlice& placed, const TraceThread& on) const;

  private:
    /// By part of the exchange; null where the trace does not have it.
    struct Parts {
        const PlacedSlice* start = nullptr;
        const PlacedSlice* flight = nullptr;
        const PlacedSlice* wait = nullptr;
        std::int64_t arrow = 0;
    };
    using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;  // name, verb, peer, call

    static Key key_of(const TraceSlice& slice);
    [[nodiscard]] const Parts& parts_of(const TraceSlice& slice) const { return parts_.at(key_of(slice)); }
    [[nodiscard]] std::optional<TraceTime> skew(const Parts& parts) const;
    [[nodiscard]] std::int64_t inside(const PlacedSlice& flight, double passed_us) const;

    const TraceClock& clock_;
    TraceEvents& events_;
    std::map<Key, Parts> parts_;
};

/// Arrows from rank to rank, between the flights of one exchange. Each rank that has the exchange is linked
/// with the next one that has it. Arrows never go back in time: if the flight of the lower rank began behind
/// the end of the other, the arrow begins at the other. Of a send and its receive, it begins at the send.
class RankArrows {
  public:
    explicit RankArrows(TraceEvents& events) : events_(events) {}

    /// Takes a flight, which has been written. Nodes come in ascending order.
    void add(const PlacedSlice& flight, const TraceThread& on);

  private:
    struct Flight {
        TraceThread on;
        TraceTime time;
        bool receives = false;
        std::int64_t ranks = 1;  ///< that had this exchange so far
    };
    /// Name, verb, the two ranks of a pair or the root and the number of ranks, call.
    using Key = std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t>;

    TraceEvents& events_;
    std::map<Key, Flight> last_;  // of exchanges that not all ranks have had
};

}  // namespace convoy
