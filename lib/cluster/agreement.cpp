#include "cluster/agreement.hpp"

#include <algorithm>
#include <utility>

namespace convoy {

std::optional<Agreement::Difference> Agreement::say(std::size_t rank, std::string fingerprint,
                                                    TimePoint now) {
    if (!first_came_) first_came_ = now;
    auto& own = fingerprints_.at(rank);
    own = std::move(fingerprint);
    const auto differs = [&own](const auto& other) { return other && *other != *own; };
    const auto other = std::ranges::find_if(fingerprints_, differs);
    if (other == fingerprints_.end()) return std::nullopt;
    first_came_.reset();
    return Difference{.one = static_cast<std::size_t>(other - fingerprints_.begin()), .other = rank};
}

bool Agreement::reached() {
    if (!std::ranges::all_of(fingerprints_, [](const auto& said) { return said.has_value(); })) return false;
    std::ranges::fill(fingerprints_, std::optional<std::string>());
    first_came_.reset();
    return true;
}

std::optional<std::size_t> Agreement::overdue(TimePoint now, Clock::duration deadline) {
    if (!first_came_ || now - *first_came_ < deadline) return std::nullopt;
    first_came_.reset();
    const auto owes = [](const auto& said) { return !said.has_value(); };
    return static_cast<std::size_t>(std::ranges::find_if(fingerprints_, owes) - fingerprints_.begin());
}

}  // namespace convoy
