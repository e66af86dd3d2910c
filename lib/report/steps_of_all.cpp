#include "report/steps_of_all.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace convoy {
namespace {

/// How far one node has told.
struct Told {
    std::int64_t last_step = 0;
    std::int64_t last_epoch = 0;
    std::int64_t epoch_before = 0;  ///< the last epoch that was complete before the run went on
    bool counts = true;
};

Told told_in(const std::filesystem::path& journal, std::int64_t resumed_from) {
    constexpr auto kinds = static_cast<std::uint32_t>(RecordKind::steps) +
                           static_cast<std::uint32_t>(RecordKind::epochs) +
                           static_cast<std::uint32_t>(RecordKind::summaries);
    Told told;
    JournalReader reader(journal);
    while (const auto part = reader.next(kinds)) {
        if (!part->steps.empty()) told.last_step = std::max(told.last_step, part->steps.back().step);
        if (!part->epochs.empty()) told.last_epoch = std::max(told.last_epoch, part->epochs.back().epoch);
        // An epoch is told behind its steps.
        if (resumed_from > 0 && told.last_step <= resumed_from) told.epoch_before = told.last_epoch;
        if (!part->summaries.empty()) told.counts = false;
    }
    told.counts = told.counts && (!reader.torn() || reader.cut_off());
    return told;
}

template <typename Row>
void erase_others(std::vector<Row>& rows, const StepsOfAll& all) {
    std::erase_if(rows, [&all](const Row& row) { return !all.has(row); });
}

}  // namespace

NodeRecords StepsOfAll::of(NodeRecords records) const {
    erase_others(records.operators, *this);
    erase_others(records.steps, *this);
    erase_others(records.epochs, *this);
    return records;
}

StepsOfAll steps_of_all(const JournalFolder& journals, std::int64_t ranks, const RunHeader& run) {
    StepsOfAll all;
    if (run.status == RunStatus::done) return all;
    const auto resumed_from = run.resumed_from_steps.empty() ? 0 : run.resumed_from_steps.back();
    std::vector<Told> nodes;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        nodes.push_back(told_in(journals.records_of(rank), resumed_from));
    Told most{.last_step = resumed_from};
    for (const auto& node : nodes) {
        most.last_step = std::max(most.last_step, node.last_step);
        most.last_epoch = std::max(most.last_epoch, node.last_epoch);
        most.epoch_before = std::max(most.epoch_before, node.epoch_before);
    }
    for (const auto& node : nodes) {
        if (!node.counts) continue;
        all.last_step = std::min(all.last_step, std::max(node.last_step, resumed_from));
        all.last_epoch = std::min(all.last_epoch, std::max(node.last_epoch, most.epoch_before));
    }
    if (all.last_step < most.last_step || all.last_epoch < most.last_epoch)
        all.line = fmt::format(
            "some nodes had told their steps up to {} and their epochs up to {}, all nodes up to {} and {}; "
            "tables end there",
            most.last_step, most.last_epoch, all.last_step, all.last_epoch);
    return all;
}

}  // namespace convoy
