#include "measure/summary_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "measure/contention_json.hpp"
#include "measure/json_fields.hpp"

namespace convoy {
namespace {

using nlohmann::json;

/// The first of those that a run folder may leave out.
constexpr std::size_t first_optional_field = 16;

/// The fields of a summary, in the order in which they travel.
constexpr std::array<const char*, 23> summary_fields{
    "node",         "threads",        "read_s",       "preprocess_s",
    "train_s",      "evaluate_s",     "total_s",      "peak_resident_bytes",
    "cpu_user_s",   "cpu_system_s",   "sent_bytes",   "received_bytes",
    "steps",        "clock_start_us", "clock_end_us", "clock_round_trip_us",
    "checkpoint_s", "interleave_s",   "prepare_s",    "shuffle_s",
    "batch_s",      "map_s",          "augment_s"};

/// Behind them, if the node told it.
constexpr auto contention_field = "contention";
/// And behind that, which is then null if it is not known.
constexpr auto labels_field = "label_counts";
constexpr std::size_t most_classes = 1'000'000;

std::vector<std::int64_t> read_label_counts(JsonFields& fields) {
    const auto& counts = fields.next();
    if (!counts.is_array() || counts.size() > most_classes)
        fields.fail(labels_field, fmt::format("a list of at most {} counts", most_classes));
    JsonFields each(counts, fmt::format("{}: {}", fields.where(), labels_field), counts.size());
    std::vector<std::int64_t> all;
    for (std::size_t label = 0; label < counts.size(); ++label) all.push_back(each.count("examples"));
    return all;
}

}  // namespace

json summary_to_list(const NodeSummary& summary) {
    auto values = json::array({summary.node,
                               summary.threads,
                               summary.read_s,
                               summary.preprocess_s,
                               summary.train_s,
                               summary.evaluate_s,
                               summary.total_s,
                               summary.peak_resident_bytes,
                               summary.cpu_user_s,
                               summary.cpu_system_s,
                               summary.sent_bytes,
                               summary.received_bytes,
                               summary.steps,
                               summary.clock.start_us,
                               summary.clock.end_us,
                               summary.clock.round_trip_us,
                               summary.checkpoint_s,
                               summary.input.interleave_s,
                               summary.input.prepare_s,
                               summary.input.shuffle_s,
                               summary.input.batch_s,
                               summary.input.map_s,
                               summary.input.augment_s});
    const bool told = summary.contention || !summary.label_counts.empty();
    if (told) values.push_back(summary.contention ? contention_to_json(*summary.contention) : json());
    if (!summary.label_counts.empty()) values.push_back(summary.label_counts);
    return values;
}

NodeSummary summary_from_list(const json& value, const std::string& where) {
    const auto told = value.size() < summary_fields.size()
                          ? 0
                          : std::min<std::size_t>(value.size() - summary_fields.size(), 2);
    JsonFields fields(value, where, summary_fields.size() + told);
    NodeSummary summary;
    summary.node = fields.count("node");
    const auto threads = fields.count("threads");
    if (threads > 1'000'000) fields.fail("threads", "at most 1000000");
    summary.threads = static_cast<int>(threads);
    summary.read_s = fields.amount("read_s");
    summary.preprocess_s = fields.amount("preprocess_s");
    summary.train_s = fields.amount("train_s");
    summary.evaluate_s = fields.amount("evaluate_s");
    summary.total_s = fields.amount("total_s");
    summary.peak_resident_bytes = fields.bytes("peak_resident_bytes");
    summary.cpu_user_s = fields.amount("cpu_user_s");
    summary.cpu_system_s = fields.amount("cpu_system_s");
    summary.sent_bytes = fields.bytes("sent_bytes");
    summary.received_bytes = fields.bytes("received_bytes");
    summary.steps = fields.count("steps");
    summary.clock.start_us = fields.number("clock_start_us");
    summary.clock.end_us = fields.number("clock_end_us");
    summary.clock.round_trip_us = fields.number("clock_round_trip_us");
    summary.checkpoint_s = fields.amount("checkpoint_s");
    summary.input.interleave_s = fields.amount("interleave_s");
    summary.input.prepare_s = fields.amount("prepare_s");
    summary.input.shuffle_s = fields.amount("shuffle_s");
    summary.input.batch_s = fields.amount("batch_s");
    summary.input.map_s = fields.amount("map_s");
    summary.input.augment_s = fields.amount("augment_s");
    if (told > 0 && !fields.skip_null())
        summary.contention =
            contention_from_json(fields.next(), fmt::format("{}: {}", where, contention_field));
    if (told > 1) summary.label_counts = read_label_counts(fields);
    return summary;
}

json summary_to_json(const NodeSummary& summary) {
    const auto values = summary_to_list(summary);
    auto object = json::object();
    for (std::size_t i = 0; i < summary_fields.size(); ++i) object[summary_fields.at(i)] = values[i];
    object[contention_field] = summary.contention ? contention_to_json(*summary.contention) : json();
    object[labels_field] = summary.label_counts;
    return object;
}

NodeSummary summary_from_json(const json& object) {
    auto values = nlohmann::json::array();
    for (const auto* field : summary_fields) {
        const auto found = object.is_object() ? object.find(field) : object.end();
        if (found == object.end() && object.is_object() && values.size() >= first_optional_field) {
            values.push_back(0.0);
            continue;
        }
        if (found == object.end()) throw DataError(fmt::format("node summary: {} is missing", field));
        values.push_back(*found);
    }
    const auto contention = object.find(contention_field);
    const bool known = contention != object.end() && !contention->is_null();
    const auto labels = object.find(labels_field);
    const bool has_labels = labels != object.end() && *labels != json::array();
    if (known || has_labels) values.push_back(known ? *contention : json());
    if (has_labels) values.push_back(*labels);
    return summary_from_list(values, "node summary");
}

}  // namespace convoy
