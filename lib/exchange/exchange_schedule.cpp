#include "exchange/exchange_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.hpp"
#include "exchange/algorithms.hpp"
#include "exchange/group.hpp"
#include "exchange/rooted_algorithms.hpp"

namespace convoy {
namespace {

void check_request(const Exchange& exchange, std::int64_t depth) {
    const auto segment = exchange.options.segment_bytes;
    if (segment < 64 || segment > (std::int64_t{1} << 30U))
        throw InternalError(fmt::format("segments of {} bytes; 64 to 2^30 are possible", segment));
    if (depth < 1) throw InternalError(fmt::format("a pipeline of depth {}; at least 1 is needed", depth));
}

/// Replaces positions in a group by ranks of the run.
void put_ranks(Schedule& schedule, const Group& group) {
    if (group.identity()) return;
    for (auto& send : schedule.sends) send.peer = group.rank_at(send.peer);
    for (auto& receive : schedule.receives) receive.peer = group.rank_at(receive.peer);
    for (auto* peers : {&schedule.send_to, &schedule.receive_from}) {
        for (auto& peer : *peers) peer = group.rank_at(peer);
        std::ranges::sort(*peers);
    }
}

/// The arguments of exchange_schedule.
struct Request {
    const Exchange& exchange;
    std::int64_t rank;
    const HostMap& hosts;
    std::uint64_t elements, segment;
    std::size_t element_bytes;
    std::int64_t depth;

    [[nodiscard]] Schedule cut(std::uint64_t count, const std::function<Turns(ElementRange)>& turns) const {
        return make_schedule(count, segment, static_cast<std::uint64_t>(depth), turns);
    }
};

ExchangeSchedule all_reduce(const Request& request) {
    const Group group(request.exchange.group, request.hosts.world_size());
    auto algorithm = request.exchange.options.algorithm;
    if (algorithm == AllReduceAlgorithm::automatic) {
        algorithm = choose_algorithm(static_cast<std::int64_t>(request.elements * request.element_bytes),
                                     group.size());
    }
    const auto position = group.position_of(request.rank);
    const auto on = [&](const HostMap& hosts) {
        return all_reduce_schedule(algorithm, position, hosts, request.elements, request.segment,
                                   request.depth);
    };
    auto [schedule, unrounded] = group.identity() ? on(request.hosts) : on(group.hosts(request.hosts));
    put_ranks(schedule, group);
    return {.schedule = std::move(schedule),
            .elements = request.elements,
            .group = group.fingerprint(),
            .whole_run = group.size() == request.hosts.world_size(),
            .leaves_sums_unrounded = unrounded && group.size() > 1};
}

ExchangeSchedule between_two(const Request& request) {
    const auto peer = request.exchange.root;
    if (peer == request.rank || peer < 0 || peer >= request.hosts.world_size())
        throw InternalError(fmt::format("rank {} exchanges with rank {}", request.rank, peer));
    const bool sends = request.exchange.verb == ExchangeVerb::send;
    return {.schedule = request.cut(request.elements,
                                    [&](ElementRange block) {
                                        return sends ? send_turns(peer, block) : receive_turns(peer, block);
                                    }),
            .elements = request.elements};
}

/// The elements of one member's piece.
std::uint64_t piece_of(const Request& request, std::uint64_t members, bool at_root) {
    if (!at_root) return request.elements;
    if (request.elements % members != 0) {
        throw InternalError(fmt::format("{} elements for the pieces of {} ranks", request.elements, members));
    }
    return request.elements / members;
}

ExchangeSchedule with_root(const Request& request) {
    const Group group(request.exchange.group, request.hosts.world_size());
    const auto n = group.size();
    const auto position = group.position_of(request.rank), root = group.position_of(request.exchange.root);
    ExchangeSchedule made{.elements = request.elements, .group = group.fingerprint(request.exchange.root)};
    const auto with = [&](auto turns) {
        return request.cut(request.elements,
                           [&](ElementRange block) { return turns(position, n, root, block); });
    };
    const bool chain = request.exchange.route == ExchangeRoute::chain;
    switch (request.exchange.verb) {
        case ExchangeVerb::push: made.schedule = with(chain ? chain_push_turns : push_turns); break;
        case ExchangeVerb::pull: made.schedule = with(chain ? chain_pull_turns : pull_turns); break;
        case ExchangeVerb::broadcast: made.schedule = with(broadcast_turns); break;
        case ExchangeVerb::gather: {
            const auto members = static_cast<std::uint64_t>(n);
            const auto piece = piece_of(request, members, position == root);
            made.schedule = request.cut(
                piece, [&](ElementRange block) { return gather_turns(position, n, root, piece, block); });
            made.elements = piece * members;
            made.first = position == root ? 0 : static_cast<std::uint64_t>(position) * piece;
            break;
        }
        case ExchangeVerb::all_reduce:
        case ExchangeVerb::send:
        case ExchangeVerb::receive: throw InternalError("an exchange that has no root");
    }
    put_ranks(made.schedule, group);
    return made;
}

}  // namespace

ExchangeSchedule exchange_schedule(const Exchange& exchange, std::int64_t rank, const HostMap& hosts,
                                   std::uint64_t elements, std::size_t element_bytes, std::int64_t depth) {
    check_request(exchange, depth);
    const auto segment = static_cast<std::uint64_t>(exchange.options.segment_bytes) / element_bytes;
    const Request request{exchange, rank, hosts, elements, segment, element_bytes, depth};
    switch (exchange.verb) {
        case ExchangeVerb::all_reduce: return all_reduce(request);
        case ExchangeVerb::send:
        case ExchangeVerb::receive: return between_two(request);
        case ExchangeVerb::push:
        case ExchangeVerb::pull:
        case ExchangeVerb::broadcast:
        case ExchangeVerb::gather: return with_root(request);
    }
    throw InternalError("an exchange without a case");
}

ExchangeSchedule sparse_exchange_schedule(const Exchange& exchange, std::int64_t rank, const HostMap& hosts,
                                          std::uint64_t piece) {
    check_request(exchange, 1);
    if (exchange.verb != ExchangeVerb::all_reduce)
        throw InternalError("only an all-reduce takes a sparsified buffer");
    const auto algorithm = exchange.options.algorithm;
    if (algorithm != AllReduceAlgorithm::automatic && algorithm != AllReduceAlgorithm::ring)
        throw InternalError("sparse pieces need the algorithm ring or auto");
    const Group group(exchange.group, hosts.world_size());
    const auto position = group.position_of(rank);
    auto schedule = gather_schedule(algorithm, position, group.size(), piece);
    put_ranks(schedule, group);
    return {.schedule = std::move(schedule),
            .elements = piece * static_cast<std::uint64_t>(group.size()),
            .own = piece * static_cast<std::uint64_t>(position),
            .group = group.fingerprint(),
            .whole_run = group.size() == hosts.world_size()};
}

ExchangeLinks links_of(const Exchange& exchange, std::int64_t rank, const HostMap& hosts) {
    if (is_by_library(exchange)) return {};
    const bool undecided = exchange.verb == ExchangeVerb::all_reduce &&
                           exchange.options.algorithm == AllReduceAlgorithm::automatic;
    if (!undecided) {
        auto made = exchange_schedule(exchange, rank, hosts, 0, 1);
        return {std::move(made.schedule.send_to), std::move(made.schedule.receive_from)};
    }
    const Group group(exchange.group, hosts.world_size());
    auto partners = partners_of(group.position_of(rank), group.hosts(hosts));
    for (auto& partner : partners) partner = group.rank_at(partner);
    std::ranges::sort(partners);
    return {partners, partners};
}

}  // namespace convoy
