#include "monitor/journal_follower.hpp"

#include "report/partial_header.hpp"
#include "report/record_journal.hpp"

namespace convoy {

namespace {

constexpr std::uint32_t followed_kinds =
    static_cast<std::uint32_t>(RecordKind::steps) + static_cast<std::uint32_t>(RecordKind::epochs) +
    static_cast<std::uint32_t>(RecordKind::system) + static_cast<std::uint32_t>(RecordKind::summaries);

}  // namespace

JournalFollower::JournalFollower(const std::filesystem::path& partial, std::int64_t ranks)
    : journals_(partial / partial_records) {
    figures_.ranks = ranks;
}

void JournalFollower::look() {
    if (read()) return;
    const auto ranks = figures_.ranks;
    figures_ = {};
    figures_.ranks = ranks;
    read_.clear();
    read();
}

bool JournalFollower::read() {
    for (const auto rank : journals_.ranks()) {
        auto& place = read_[rank];
        JournalReader reader(journals_.records_of(rank));
        if (reader.size() < place.bytes) return false;
        reader.go_to(place.bytes);
        const bool is_new = place.bytes == 0;
        while (const auto part = reader.next(followed_kinds)) {
            // The journal was cut, and has grown since.
            const auto known = figures_.nodes.find(rank);
            if (!is_new && !part->steps.empty() && known != figures_.nodes.end() &&
                part->steps.front().step <= known->second.last_step)
                return false;
            figures_.add(*part);
        }
        const bool damaged = reader.torn() && !reader.cut_off();
        if (damaged && !is_new && !place.damaged) return false;
        place = {.bytes = reader.position(), .damaged = damaged};
    }
    return true;
}

}  // namespace convoy
