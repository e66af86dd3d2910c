#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "measure/record_sink.hpp"

/// Keeps what a launcher hands over. The mark of a node is the number of its steps.
struct KeptRecords : convoy::RecordSink {
    std::map<std::int64_t, std::vector<std::int64_t>> steps;  ///< by rank
    std::map<std::int64_t, convoy::NodeSummary> summaries;    ///< the last of each rank
    std::vector<std::byte> weights;
    std::size_t summaries_before_weights = 0;
    bool interrupted = false;
    bool is_full = false;                                               ///< there is no room for records
    std::int64_t last_step = std::numeric_limits<std::int64_t>::max();  ///< there is no room behind this step

    void take(std::int64_t rank, convoy::NodeRecords records) override {
        const auto is_behind = [this](const convoy::StepRecord& step) { return step.step > last_step; };
        if (is_full || std::ranges::any_of(records.steps, is_behind))
            throw convoy::OutputError("disk: no space left");
        for (const auto& step : records.steps) steps[rank].push_back(step.step);
        for (const auto& summary : records.summaries) summaries[rank] = summary;
    }
    std::uint64_t mark(std::int64_t rank) override { return steps[rank].size(); }
    void take_weights(std::span<const std::byte> safetensors) override {
        weights.assign(safetensors.begin(), safetensors.end());
        summaries_before_weights = summaries.size();
    }
    void note_interrupted() override { interrupted = true; }
};
