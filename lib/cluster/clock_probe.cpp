#include "cluster/clock_probe.hpp"

namespace convoy {

namespace {
// A node that answers none of so many questions is lost anyhow.
constexpr std::size_t open_questions_limit = 1000;
}  // namespace

std::uint64_t ClockProbe::ask(TimePoint now) {
    if (asked_.size() >= open_questions_limit) asked_.erase(asked_.begin());
    asked_.emplace(++last_number_, now);
    return last_number_;
}

bool ClockProbe::answer(std::uint64_t number, double other_clock_us, TimePoint now) {
    const auto question = asked_.find(number);
    if (question == asked_.end()) return false;
    const double sent_us = clock_us(question->second);
    const double round_trip_us = clock_us(now) - sent_us;
    if (!best_ || round_trip_us < best_->round_trip_us)
        best_ = Estimate{.offset_us = sent_us + round_trip_us / 2 - other_clock_us,
                         .round_trip_us = round_trip_us};
    asked_.erase(question);
    return true;
}

void ClockProbe::restart() {
    asked_.clear();
    best_.reset();
}

double clock_us(TimePoint time) {
    return Microseconds(time.time_since_epoch()).count();
}

}  // namespace convoy
