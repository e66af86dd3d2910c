#include "report/trace_exchanges.hpp"
#include "report/or_null.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace convoy {
namespace {

using nlohmann::json;

constexpr std::int64_t no_peer = -1;

double us(const TraceTime& time) {
    return static_cast<double>(time.end_ns - time.start_ns) / 1e3;
}

/// Microseconds that two times share.
double shared_us(const TraceTime& one, const TraceTime& other) {
    const TraceTime both{std::max(one.start_ns, other.start_ns), std::min(one.end_ns, other.end_ns)};
    return std::max(0.0, us(both));
}

std::string_view part_name(ExchangePart part) {
    switch (part) {
        case ExchangePart::start: return "start";
        case ExchangePart::flight: return "flight";
        case ExchangePart::wait: return "wait";
    }
    return {};
}

json describe(const ExchangeWay& way) {
    json all{{"verb", way.verb}, {"wire_type", way.wire_type}, {"ranks", way.ranks}};
    if (!way.algorithm.empty()) all["algorithm"] = way.algorithm;
    if (way.peer) all["peer"] = *way.peer;
    return all;
}

}  // namespace

NodeExchanges::NodeExchanges(std::span<const PlacedSlice> slices, const TraceClock& clock,
                             TraceEvents& events)
    : clock_(clock), events_(events) {
    for (const auto& placed : slices) {
        if (!placed.slice->exchange) continue;
        auto& parts = parts_[key_of(*placed.slice)];
        if (parts.arrow == 0) parts.arrow = events.new_flow();
        switch (placed.slice->exchange->part) {
            case ExchangePart::start: parts.start = &placed; break;
            case ExchangePart::flight: parts.flight = &placed; break;
            case ExchangePart::wait: parts.wait = &placed; break;
        }
    }
}

NodeExchanges::Key NodeExchanges::key_of(const TraceSlice& slice) {
    const auto& exchange = *slice.exchange;
    return {slice.name, exchange.way.verb, exchange.way.peer.value_or(no_peer), exchange.call};
}

std::int64_t NodeExchanges::inside(const PlacedSlice& flight, double passed_us) const {
    return std::clamp(clock_.launcher_ns(flight.slice->start_us + passed_us), flight.time.start_ns,
                      flight.time.end_ns);
}

std::int64_t NodeExchanges::began_ns(const PlacedSlice& flight) const {
    return inside(flight, flight.slice->exchange->queued_us);
}

std::optional<TraceTime> NodeExchanges::skew(const Parts& parts) const {
    if (parts.flight == nullptr) return std::nullopt;
    const auto& exchange = *parts.flight->slice->exchange;
    const TraceTime time{began_ns(*parts.flight),
                         inside(*parts.flight, exchange.queued_us + exchange.skew_us)};
    return time.end_ns > time.start_ns ? std::optional(time) : std::nullopt;
}

std::optional<TraceTime> NodeExchanges::skew(const TraceSlice& slice) const {
    return skew(parts_of(slice));
}

json NodeExchanges::arguments(const TraceSlice& slice) const {
    const auto& exchange = *slice.exchange;
    const auto& parts = parts_of(slice);
    auto all = describe(exchange.way);
    all["part"] = part_name(exchange.part);
    all["call"] = exchange.call;
    // A start does not know the bytes yet.
    if (const auto* knows = parts.flight; knows != nullptr) {
        all["sent_bytes"] = or_null(knows->slice->exchange->sent_bytes);
        all["received_bytes"] = or_null(knows->slice->exchange->received_bytes);
    }
    if (exchange.part == ExchangePart::flight) {
        all["in_flight_us"] = slice.duration_us;
        all["queued_us"] = exchange.queued_us;
        all["skew_us"] = exchange.skew_us;
    }
    if (exchange.part != ExchangePart::wait || parts.wait == nullptr) return all;
    const auto waited_for = skew(parts).value_or(TraceTime{});
    double exposed = us(parts.wait->time), exposed_skew = shared_us(waited_for, parts.wait->time);
    if (parts.start != nullptr) {
        exposed += us(parts.start->time);
        exposed_skew += shared_us(waited_for, parts.start->time);
    }
    all["exposed_us"] = exposed;
    all["exposed_skew_us"] = exposed_skew;
    return all;
}

void NodeExchanges::write_arrow(const PlacedSlice& placed, const TraceThread& on) const {
    const auto& parts = parts_of(*placed.slice);
    std::vector<const PlacedSlice*> all;
    for (const auto* part : {parts.start, parts.flight, parts.wait})
        if (part != nullptr) all.push_back(part);
    const auto place = std::ranges::find(all, placed.slice, &PlacedSlice::slice);
    if (all.size() < 2 || place == all.end()) return;
    // Of an exchange without a start, the wait begins a little before the flight.
    auto at = all.front()->time.start_ns;
    for (auto part = all.begin(); part != place; ++part) at = std::max(at, (*std::next(part))->time.start_ns);
    const auto which = place == all.begin()   ? FlowPart::begin
                       : *place == all.back() ? FlowPart::end
                                              : FlowPart::step;
    events_.flow(which, parts.arrow, "exchange", on, std::min(at, placed.time.end_ns));
}

void RankArrows::add(const PlacedSlice& flight, const TraceThread& on) {
    const auto& slice = *flight.slice;
    const auto& way = slice.exchange->way;
    const bool pair = way.verb == "send" || way.verb == "receive";
    const auto peer = way.peer.value_or(no_peer);
    const Key key{slice.name, pair ? "send" : way.verb, pair ? std::min(slice.node, peer) : peer,
                  pair ? std::max(slice.node, peer) : way.ranks, slice.exchange->call};
    const Flight own{.on = on, .time = flight.time, .receives = way.verb == "receive"};
    const auto [found, is_first] = last_.try_emplace(key, own);
    if (is_first) return;
    const auto& before = found->second;
    const auto ranks = before.ranks + 1;
    const bool back = before.time.start_ns > own.time.end_ns ||
                      (before.receives && own.time.start_ns <= before.time.end_ns);
    const auto& from = back ? own : before;
    const auto& to = back ? before : own;
    const auto number = events_.new_flow();
    events_.flow(FlowPart::begin, number, "rank to rank", from.on, from.time.start_ns);
    events_.flow(FlowPart::end, number, "rank to rank", to.on,
                 std::max(from.time.start_ns, to.time.start_ns));
    if (ranks >= way.ranks) {
        last_.erase(found);
        return;
    }
    found->second = own;
    found->second.ranks = ranks;
}

}  // namespace convoy
