#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "exchange/schedule.hpp"

/// An element as the list of what went into it, in the order of addition.
struct Contribution {
    std::int64_t rank = 0;
    std::uint64_t element = 0;  ///< of that rank's buffer
    auto operator<=>(const Contribution&) const = default;
};
using Element = std::vector<Contribution>;
using Elements = std::vector<Element>;

/// A buffer that holds a rank's own values only.
inline Elements own_elements(std::size_t rank, std::uint64_t count) {
    Elements own;
    for (std::uint64_t i = 0; i < count; ++i) own.push_back({{static_cast<std::int64_t>(rank), i}});
    return own;
}

/// When a send is done, and its elements may change: links between the two carry some of it.
enum class LinksHold : std::uint8_t { everything, nothing };

/// Carries out all ranks' schedules in one thread, on lists of contributions.
class Simulation {
  public:
    /// buffers: of each rank. firsts: where each lies in the whole; empty: all at 0.
    Simulation(const std::vector<convoy::Schedule>& all, std::vector<Elements> buffers, LinksHold links,
               std::vector<std::uint64_t> firsts = {})
        : all_(all), links_hold_(links), firsts_(std::move(firsts)), ranks_(all.size()) {
        firsts_.resize(all.size());
        for (std::size_t rank = 0; rank < all.size(); ++rank) ranks_[rank].buffer = std::move(buffers[rank]);
    }
    /// False where nothing moves any more before the end.
    bool run() {
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t rank = 0; rank < all_.size(); ++rank)
                moved = send(rank) || receive(rank) || moved;
        }
        for (std::size_t rank = 0; rank < all_.size(); ++rank) {
            const auto& state = ranks_[rank];
            if (state.sent < all_[rank].sends.size() || state.received < all_[rank].receives.size())
                return false;
        }
        return std::ranges::all_of(links_, [](const auto& link) { return link.second.empty(); });
    }
    [[nodiscard]] const Elements& buffer(std::size_t rank) const { return ranks_.at(rank).buffer; }

  private:
    struct Message {
        std::uint32_t step;
        std::uint64_t first;  // in the whole
        Elements elements;
    };
    struct Rank {
        Elements buffer;
        std::size_t sent = 0, received = 0;
        bool sending = false;             ///< the send that comes next is under way
        std::optional<Elements> arrived;  ///< of the receive that comes next
    };

    static Elements part(const Elements& buffer, convoy::ElementRange range) {
        REQUIRE(range.first + range.count <= buffer.size());
        const auto first = buffer.begin() + static_cast<std::ptrdiff_t>(range.first);
        return {first, first + static_cast<std::ptrdiff_t>(range.count)};
    }

    bool send(std::size_t number) {
        auto& rank = ranks_[number];
        const auto& sends = all_[number].sends;
        if (rank.sending || rank.sent == sends.size() || rank.received < sends[rank.sent].after_receives)
            return false;
        const auto& next = sends[rank.sent];
        links_[{number, static_cast<std::size_t>(next.peer)}].push_back(
            {next.step, firsts_[number] + next.range.first, part(rank.buffer, next.range)});
        rank.sending = links_hold_ == LinksHold::nothing;
        if (!rank.sending) ++rank.sent;
        return true;
    }
    /// What is added is taken off the link first, what replaces is read into its place.
    bool receive(std::size_t number) {
        auto& rank = ranks_[number];
        if (rank.received == all_[number].receives.size()) return false;
        const auto& next = all_[number].receives[rank.received];
        const bool may_change = rank.sent >= next.after_sends;
        if (!rank.arrived) return (next.adds || may_change) && take(rank, next, number);
        if (!may_change) return false;
        REQUIRE(next.range.first + next.range.count <= rank.buffer.size());
        for (std::uint64_t i = 0; i < next.range.count; ++i) {
            auto& into = rank.buffer[next.range.first + i];
            const auto& came = (*rank.arrived)[i];
            if (!next.adds) into.clear();
            into.insert(into.end(), came.begin(), came.end());
        }
        rank.arrived.reset();
        ++rank.received;
        return true;
    }
    bool take(Rank& rank, const convoy::Receive& next, std::size_t number) {
        auto& link = links_[{static_cast<std::size_t>(next.peer), number}];
        if (link.empty()) return false;
        const auto message = link.front();
        link.erase(link.begin());
        REQUIRE(message.step == next.step);
        REQUIRE(message.first == firsts_[number] + next.range.first);
        REQUIRE(message.elements.size() == next.range.count);
        rank.arrived = message.elements;
        const auto peer = static_cast<std::size_t>(next.peer);
        auto& sender = ranks_[peer];
        if (links_hold_ == LinksHold::everything) return true;
        REQUIRE(part(sender.buffer, {message.first - firsts_[peer], message.elements.size()}) ==
                message.elements);  // nothing changed it under way
        sender.sending = false;
        ++sender.sent;
        return true;
    }

    const std::vector<convoy::Schedule>& all_;
    LinksHold links_hold_;
    std::vector<std::uint64_t> firsts_;
    std::vector<Rank> ranks_;
    std::map<std::pair<std::size_t, std::size_t>, std::vector<Message>> links_;
};
