#include "exchange/exchange_cost.hpp"

#include <bit>
#include <stdexcept>

#include "base/checked.hpp"
#include "exchange/all_reduce_schedule.hpp"
#include "exchange/exchange_schedule.hpp"

namespace convoy {
namespace {

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b) {
    return (Checked(static_cast<std::int64_t>(a)) + static_cast<std::int64_t>(b)).unsigned_value();
}

std::uint64_t bytes_of(std::uint64_t elements, std::uint64_t element_bytes) {
    return (Checked(static_cast<std::int64_t>(elements)) * static_cast<std::int64_t>(element_bytes))
        .unsigned_value();
}

}  // namespace

ExchangeCost schedule_cost(const Schedule& schedule, std::uint64_t element_bytes) {
    ExchangeCost cost{.sent_frames = schedule.sends.size(), .received_frames = schedule.receives.size()};
    for (const auto& send : schedule.sends)
        cost.sent_bytes = sum_of(cost.sent_bytes, bytes_of(send.range.count, element_bytes));
    for (const auto& receive : schedule.receives) {
        cost.received_bytes = sum_of(cost.received_bytes, bytes_of(receive.range.count, element_bytes));
        if (receive.adds) cost.added_elements = sum_of(cost.added_elements, receive.range.count);
    }
    return cost;
}

ExchangeCost& ExchangeCost::operator+=(const ExchangeCost& more) {
    sent_bytes = sum_of(sent_bytes, more.sent_bytes);
    received_bytes = sum_of(received_bytes, more.received_bytes);
    sent_frames = sum_of(sent_frames, more.sent_frames);
    received_frames = sum_of(received_frames, more.received_frames);
    added_elements = sum_of(added_elements, more.added_elements);
    known = known && more.known;
    return *this;
}

std::uint64_t wire_element_bytes(WireType type, bool exact) {
    if (exact) return sizeof(std::int64_t);
    switch (type) {
        case WireType::float32: return 4;
        case WireType::float16:
        case WireType::bfloat16: return 2;
        case WireType::top_k: return 8;
    }
    throw std::logic_error("a wire type without a size");
}

AllReduceAlgorithm resolved_algorithm(const AllReduceOptions& options, bool exact, std::uint64_t elements,
                                      std::int64_t world_size) {
    if (options.algorithm != AllReduceAlgorithm::automatic) return options.algorithm;
    if (options.wire_type == WireType::top_k && !exact) {
        return std::has_single_bit(static_cast<std::uint64_t>(world_size))
                   ? AllReduceAlgorithm::recursive_doubling
                   : AllReduceAlgorithm::ring;
    }
    const auto bytes = bytes_of(elements, wire_element_bytes(options.wire_type, exact));
    return choose_algorithm(static_cast<std::int64_t>(bytes), world_size);
}

ExchangeCost exchange_cost(const Exchange& exchange, bool exact, std::uint64_t elements, std::int64_t rank,
                           const HostMap& hosts) {
    if (is_by_library(exchange)) return {.known = false};
    const auto bytes = wire_element_bytes(exchange.options.wire_type, exact);
    if (exchange.options.wire_type == WireType::top_k && !exact) {
        const auto piece = exchange.options.top_k.count_of(elements);
        return schedule_cost(sparse_exchange_schedule(exchange, rank, hosts, piece).schedule, bytes);
    }
    return schedule_cost(exchange_schedule(exchange, rank, hosts, elements, bytes).schedule, bytes);
}

}  // namespace convoy
