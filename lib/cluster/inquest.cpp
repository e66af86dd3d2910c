#include "cluster/inquest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "net/fabric.hpp"

namespace convoy {

static_assert(Inquest::time_for_evidence > 2 * (usual_grace + usual_grace / looks_in_time));

void Inquest::note(Failure failure) {
    if (!over_) failures_.push_back(std::move(failure));
}

void Inquest::open(TimePoint now) {
    closes_ = now + time_for_evidence;
}

bool Inquest::cause_is_known() const {
    const auto* best = root_cause(failures_);
    return best != nullptr && best->evidence == Evidence::cause;
}

// Nothing better comes than a cause, or a whole deadline of silence, and the other nodes wait for its end.
bool Inquest::is_complete(TimePoint now) const {
    const auto* best = root_cause(failures_);
    return (best != nullptr && best->evidence <= Evidence::silence) || now >= closes_.value();
}

Failure Inquest::conclude(std::span<const Member> members, double deadline_s) const {
    auto failures = failures_;
    const bool known = cause_is_known();
    const bool in_vain = std::ranges::count(failures_, ExitCode::deadline, &Failure::code) > 0;
    for (const auto& member : members) {
        if (known || !member.connection || member.reported || member.suspended_after) continue;
        if (member.owes_answer) {
            failures.push_back(
                {.evidence = Evidence::silence,
                 .code = ExitCode::node_lost,
                 .message = fmt::format("{} does not answer{}", member.label(), member.position()),
                 .rank = member.info.rank});
        } else if (in_vain) {
            failures.push_back(
                {.evidence = Evidence::absent,
                 .code = ExitCode::deadline,
                 .message = fmt::format(
                     "{} answers, but took no part within {} s in an exchange that its peers waited for{}",
                     member.label(), deadline_s, member.position()),
                 .rank = member.info.rank});
        }
    }
    return *root_cause(failures);
}

}  // namespace convoy
