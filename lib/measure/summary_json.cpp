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

/// Behind them, up to the last one that the node told; one before it that is not known is null.
constexpr auto contention_field = "contention";
constexpr auto labels_field = "label_counts";
constexpr auto parts_field = "parts";
constexpr auto fetch_field = "fetch_s";
constexpr std::array<const char*, 4> told_fields{contention_field, labels_field, parts_field, fetch_field};
constexpr std::size_t most_classes = 1'000'000;
constexpr std::size_t most_parts = 100'000;

json part_to_json(const HeldPart& part) {
    return {part.parameter, part.first, part.count, part.of};
}

std::vector<HeldPart> read_parts(const json& list, const std::string& where) {
    if (!list.is_array() || list.size() > most_parts)
        throw DataError(fmt::format("records: {}: expected a list of at most {} parts", where, most_parts));
    std::vector<HeldPart> parts;
    for (const auto& each : list) {
        JsonFields fields(each, where, 4);
        HeldPart part{.parameter = fields.text("parameter")};
        part.first = fields.count("first");
        part.count = fields.count("count");
        part.of = fields.count("of");
        if (part.of < part.count || part.first > part.of - part.count)
            fields.fail("of", "at least first + count");
        parts.push_back(std::move(part));
    }
    return parts;
}

/// The values of told_fields.
json told_values(const NodeSummary& summary) {
    auto values = json::array({json(), json(), json(), json()});
    if (summary.fetch_s > 0.0) values[3] = summary.fetch_s;
    if (summary.contention) values[0] = contention_to_json(*summary.contention);
    if (!summary.label_counts.empty()) values[1] = summary.label_counts;
    if (summary.parts.empty()) return values;
    values[2] = json::array();
    for (const auto& part : summary.parts) values[2].push_back(part_to_json(part));
    return values;
}

/// The values without the nulls at their end.
void append_told(json& list, const json& told) {
    auto count = told.size();
    while (count > 0 && told[count - 1].is_null()) --count;
    for (std::size_t i = 0; i < count; ++i) list.push_back(told[i]);
}

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
                               bytes_json(summary.sent_bytes),
                               bytes_json(summary.received_bytes),
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
    append_told(values, told_values(summary));
    return values;
}

NodeSummary summary_from_list(const json& value, const std::string& where) {
    const auto told = value.size() < summary_fields.size()
                          ? 0
                          : std::min(value.size() - summary_fields.size(), told_fields.size());
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
    summary.sent_bytes = fields.bytes_or_null("sent_bytes");
    summary.received_bytes = fields.bytes_or_null("received_bytes");
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
    if (told > 1 && !fields.skip_null()) summary.label_counts = read_label_counts(fields);
    if (told > 2 && !fields.skip_null())
        summary.parts = read_parts(fields.next(), fmt::format("{}: {}", where, parts_field));
    if (told > 3) summary.fetch_s = fields.amount(fetch_field);
    return summary;
}

json summary_to_json(const NodeSummary& summary) {
    const auto values = summary_to_list(summary);
    auto object = json::object();
    for (std::size_t i = 0; i < summary_fields.size(); ++i) object[summary_fields.at(i)] = values[i];
    object[contention_field] = summary.contention ? contention_to_json(*summary.contention) : json();
    object[labels_field] = summary.label_counts;
    if (const auto told = told_values(summary); !summary.parts.empty()) object[parts_field] = told[2];
    if (summary.fetch_s > 0.0) object[fetch_field] = summary.fetch_s;
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
    auto told = json::array();
    for (const auto* field : told_fields) {
        const auto found = object.find(field);
        const bool known = found != object.end() && *found != json::array();
        told.push_back(known ? *found : json());
    }
    append_told(values, told);
    return summary_from_list(values, "node summary");
}

}  // namespace convoy
