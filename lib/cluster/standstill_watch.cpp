#include "cluster/standstill_watch.hpp"

#include <algorithm>

namespace convoy {

namespace {

/// A thread that wakes ten times a second to look around uses less; one that reads a megabyte a second from a
/// disk uses more.
constexpr double idle_share = 0.0002;
/// What one wake may take, however short the time is.
constexpr double one_wake_us = 50.0;

}  // namespace

void StandstillWatch::look(std::size_t rank, double busy_us, TimePoint now) {
    auto& last = looks_.at(rank);
    const auto idle_us = [&] {
        return std::max(one_wake_us, idle_share * Microseconds(now - last->at).count());
    };
    if (!last || busy_us - last->busy_us > idle_us()) {
        worked_.at(rank) = 1;
        note_work();
    }
    last = Look{.busy_us = busy_us, .at = now};
}

}  // namespace convoy
