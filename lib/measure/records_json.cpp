#include "measure/records_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "measure/json_fields.hpp"
#include "measure/summary_json.hpp"

namespace convoy {

namespace {

using nlohmann::json;

json list(const std::optional<CommunicationTimes>& communication) {
    if (!communication) return {};
    const auto& times = *communication;
    return json::array(
        {times.in_flight_us, times.hidden_us, times.exposed_us, times.skew_us, times.exposed_skew_us});
}

std::optional<CommunicationTimes> read_communication(JsonFields& fields) {
    if (fields.skip_null()) return std::nullopt;
    JsonFields times(fields.next(), fields.where() + ".communication", 5);
    return CommunicationTimes{.in_flight_us = times.amount("in_flight_us"),
                              .hidden_us = times.amount("hidden_us"),
                              .exposed_us = times.amount("exposed_us"),
                              .skew_us = times.amount("skew_us"),
                              .exposed_skew_us = times.amount("exposed_skew_us")};
}

json list(const std::optional<WorkDone>& work) {
    if (!work) return {};
    return json::array({work->flops, work->read_bytes, work->written_bytes});
}

std::optional<WorkDone> read_work(JsonFields& fields) {
    if (fields.skip_null()) return std::nullopt;
    JsonFields work(fields.next(), fields.where() + ".work", 3);
    return WorkDone{.flops = work.count("flops"),
                    .read_bytes = work.count("read_bytes"),
                    .written_bytes = work.count("written_bytes")};
}

/// The values of a record, but for pass, kind and work at its end where an older version wrote it.
std::size_t values_of(const json& record, std::size_t all) {
    return record.size() == all - 3 ? all - 3 : all;
}

/// Pass, kind and work, at the end of a record.
template <typename Record>
void read_identity(JsonFields& fields, Record& record) {
    record.pass = fields.text("pass");
    record.kind = fields.text("kind");
    record.work = read_work(fields);
}

RunPhase read_phase(JsonFields& fields) {
    const auto phase = fields.count("phase");
    if (phase > static_cast<int>(RunPhase::checkpoint)) fields.fail("phase", "0, 1 or 2");
    return static_cast<RunPhase>(phase);
}

json list(const OperatorRecord& record) {
    return json::array({record.node, record.epoch, static_cast<int>(record.phase), record.operator_name,
                        record.name, record.folded_into ? json(*record.folded_into) : json(), record.calls,
                        record.total_us, record.mean_us, record.p50_us, record.p99_us,
                        list(record.communication), record.pass, record.kind, list(record.work)});
}

OperatorRecord read_operator(const json& value, const std::string& where) {
    const auto values = values_of(value, 15);
    JsonFields fields(value, where, values);
    OperatorRecord record;
    record.node = fields.count("node");
    record.epoch = fields.count("epoch");
    record.phase = read_phase(fields);
    record.operator_name = fields.text("operator");
    record.name = fields.text("name");
    record.folded_into = fields.optional_text("folded_into");
    record.calls = fields.count("calls");
    record.total_us = fields.amount("total_us");
    record.mean_us = fields.amount("mean_us");
    record.p50_us = fields.amount("p50_us");
    record.p99_us = fields.amount("p99_us");
    record.communication = read_communication(fields);
    if (values == 15) read_identity(fields, record);
    return record;
}

json list(const OperatorTimes& times) {
    return json::array({static_cast<int>(times.phase), times.operator_name, times.name, times.total_us,
                        times.durations_us, list(times.communication), times.pass, times.kind,
                        list(times.work)});
}

OperatorTimes read_times(const json& value, const std::string& where) {
    const auto values = values_of(value, 9);
    JsonFields fields(value, where, values);
    OperatorTimes times;
    times.phase = read_phase(fields);
    times.operator_name = fields.text("operator");
    times.name = fields.text("name");
    times.total_us = fields.amount("total_us");
    const auto& durations = fields.next();
    if (!durations.is_array()) fields.fail("durations_us", "a list");
    JsonFields each(durations, where + ".durations_us", durations.size());
    times.durations_us.reserve(durations.size());
    for (std::size_t i = 0; i < durations.size(); ++i) {
        const auto duration = each.amount("duration_us");
        if (duration > std::numeric_limits<float>::max()) each.fail("duration_us", "at most 3.4e38");
        times.durations_us.push_back(static_cast<float>(duration));
    }
    times.communication = read_communication(fields);
    if (values == 9) read_identity(fields, times);
    return times;
}

json list(const StepRecord& record) {
    auto values = json::array({record.node, record.epoch, record.step, record.loss, record.correct,
                               record.examples, record.step_us, record.compute_us, record.wait_us});
    for (const auto& figure : {record.gradient_norm, record.penalty, record.core_look_us})
        values.push_back(figure ? json(*figure) : json());
    return values;
}

// Braces keep the order of evaluation that these readers rely on: first field first.
StepRecord read_step(const json& value, const std::string& where) {
    const auto values = std::clamp<std::size_t>(value.size(), 9, 12);  // older versions wrote 9 or 11
    JsonFields fields(value, where, values);
    const auto more = [&](const char* name, std::size_t place) -> std::optional<double> {
        if (values < place || fields.skip_null()) return std::nullopt;
        return fields.number(name);
    };
    return {.node = fields.count("node"),
            .epoch = fields.count("epoch"),
            .step = fields.count("step"),
            .loss = fields.number("loss"),
            .correct = fields.count("correct"),
            .examples = fields.count("examples"),
            .step_us = fields.amount("step_us"),
            .compute_us = fields.amount("compute_us"),
            .wait_us = fields.amount("wait_us"),
            .gradient_norm = more("gradient_norm", 10),
            .penalty = more("penalty", 11),
            .core_look_us = values < 12 || fields.skip_null() ? std::nullopt
                                                              : std::optional(fields.amount("core_look_us"))};
}

json list(const ScoreSums& sums) {
    return json::array({sums.loss_sum, sums.correct, sums.examples});
}

ScoreSums read_sums(const json& value, const std::string& where) {
    JsonFields fields(value, where, 3);
    return {.loss_sum = fields.number("loss_sum"),
            .correct = fields.count("correct"),
            .examples = fields.count("examples")};
}

json list(const NodeEpochRecord& record) {
    return json::array({record.node, record.epoch, list(record.train), list(record.validation),
                        list(record.test), record.train_s, record.evaluate_s});
}

NodeEpochRecord read_epoch(const json& value, const std::string& where) {
    JsonFields fields(value, where, 7);
    return {.node = fields.count("node"),
            .epoch = fields.count("epoch"),
            .train = read_sums(fields.next(), where + ".train"),
            .validation = read_sums(fields.next(), where + ".validation"),
            .test = read_sums(fields.next(), where + ".test"),
            .train_s = fields.amount("train_s"),
            .evaluate_s = fields.amount("evaluate_s")};
}

json list(const SystemSample& sample) {
    auto values = json::array({sample.node, sample.time_s, sample.cpu_user_pct, sample.cpu_system_pct,
                               sample.cpu_iowait_pct, sample.resident_bytes, bytes_json(sample.sent_bytes),
                               bytes_json(sample.received_bytes)});
    const auto or_null = [](const auto& value) { return value ? json(*value) : json(); };
    if (sample.cpu_idle_pct || sample.clock_us || sample.machine_used_bytes)
        values.push_back(or_null(sample.cpu_idle_pct));
    if (sample.clock_us || sample.machine_used_bytes) values.push_back(or_null(sample.clock_us));
    if (sample.machine_used_bytes) values.push_back(*sample.machine_used_bytes);
    return values;
}

SystemSample read_sample(const json& value, const std::string& where) {
    const auto values = std::clamp<std::size_t>(value.size(), 8, 11);  // older versions wrote 8 to 10
    JsonFields fields(value, where, values);
    const auto more = [&](const char* name, std::size_t place) -> std::optional<double> {
        if (values < place || fields.skip_null()) return std::nullopt;
        return fields.amount(name);
    };
    return {
        .node = fields.count("node"),
        .time_s = fields.amount("time_s"),
        .cpu_user_pct = fields.amount("cpu_user_pct"),
        .cpu_system_pct = fields.amount("cpu_system_pct"),
        .cpu_iowait_pct = fields.amount("cpu_iowait_pct"),
        .resident_bytes = fields.bytes("resident_bytes"),
        .sent_bytes = fields.bytes_or_null("sent_bytes"),
        .received_bytes = fields.bytes_or_null("received_bytes"),
        .cpu_idle_pct = more("cpu_idle_pct", 9),
        .clock_us = more("clock_us", 10),
        .machine_used_bytes = values < 11 ? std::nullopt : std::optional(fields.bytes("machine_used_bytes"))};
}

json list(const SliceExchange& exchange) {
    const auto& way = exchange.way;
    return json::array({static_cast<int>(exchange.part), exchange.call, way.verb, way.algorithm,
                        way.wire_type, way.ranks, way.peer ? json(*way.peer) : json(),
                        bytes_json(exchange.sent_bytes), bytes_json(exchange.received_bytes),
                        exchange.queued_us, exchange.skew_us});
}

SliceExchange read_slice_exchange(const json& value, const std::string& where) {
    JsonFields fields(value, where + ".exchange", 11);
    SliceExchange exchange;
    const auto part = fields.count("part");
    if (part > static_cast<int>(ExchangePart::wait)) fields.fail("part", "0, 1 or 2");
    exchange.part = static_cast<ExchangePart>(part);
    exchange.call = fields.count("call");
    exchange.way.verb = fields.text("verb");
    exchange.way.algorithm = fields.text("algorithm");
    exchange.way.wire_type = fields.text("wire_type");
    exchange.way.ranks = fields.count("ranks");
    if (!fields.skip_null()) exchange.way.peer = fields.count("peer");
    exchange.sent_bytes = fields.bytes_or_null("sent_bytes");
    exchange.received_bytes = fields.bytes_or_null("received_bytes");
    exchange.queued_us = fields.amount("queued_us");
    exchange.skew_us = fields.amount("skew_us");
    return exchange;
}

json list(const TraceSlice& slice) {
    return json::array({slice.node, slice.track, slice.operator_name, slice.name, slice.step, slice.start_us,
                        slice.duration_us, slice.epoch, slice.pass,
                        slice.examples ? json(*slice.examples) : json(),
                        slice.exchange ? list(*slice.exchange) : json()});
}

TraceSlice read_slice(const json& value, const std::string& where) {
    const std::size_t values = value.size() == 7 ? 7 : 11;  // an older version wrote 7
    JsonFields fields(value, where, values);
    TraceSlice slice{.node = fields.count("node"),
                     .track = fields.text("track"),
                     .operator_name = fields.text("operator"),
                     .name = fields.text("name"),
                     .step = fields.count("step"),
                     .start_us = fields.amount("start_us"),
                     .duration_us = fields.amount("duration_us")};
    if (values == 7) return slice;
    slice.epoch = fields.count("epoch");
    slice.pass = fields.text("pass");
    if (!fields.skip_null()) slice.examples = fields.count("examples");
    if (!fields.skip_null()) slice.exchange = read_slice_exchange(fields.next(), where);
    return slice;
}

json list(const UpdateRecord& record) {
    return json::array({record.node, record.update, record.worker, record.step, record.version,
                        record.staleness, record.ahead});
}

UpdateRecord read_update(const json& value, const std::string& where) {
    JsonFields fields(value, where, 7);
    return {.node = fields.count("node"),
            .update = fields.count("update"),
            .worker = fields.count("worker"),
            .step = fields.count("step"),
            .version = fields.count("version"),
            .staleness = fields.count("staleness"),
            .ahead = fields.count("ahead")};
}

template <typename Record>
json lists(const std::vector<Record>& records) {
    auto all = json::array();
    for (const auto& record : records) all.push_back(list(record));
    return all;
}

template <typename Record>
std::vector<Record> read_lists(const json& records, const char* key,
                               Record (*read)(const json&, const std::string&)) {
    const auto found = records.find(key);
    if (found == records.end() || !found->is_array())
        throw DataError(fmt::format("records: {}: expected a list", key));
    std::vector<Record> all;
    all.reserve(found->size());
    for (const auto& value : *found) all.push_back(read(value, fmt::format("{}[{}]", key, all.size())));
    return all;
}

}  // namespace

json records_to_json(const NodeRecords& records) {
    auto summaries = json::array();
    for (const auto& summary : records.summaries) summaries.push_back(summary_to_list(summary));
    json all{{"operators", lists(records.operators)}, {"steps", lists(records.steps)},
             {"epochs", lists(records.epochs)},       {"system", lists(records.system)},
             {"trace", lists(records.trace)},         {"summaries", summaries}};
    // Most runs have none, and older versions know six lists only.
    if (!records.updates.empty()) all["updates"] = lists(records.updates);
    return all;
}

NodeRecords records_from_json(const json& json) {
    const bool has_updates = json.is_object() && json.contains("updates");
    if (!json.is_object() || json.size() != (has_updates ? 7U : 6U))
        throw DataError("records: expected an object with six lists");
    return {.operators = read_lists(json, "operators", read_operator),
            .steps = read_lists(json, "steps", read_step),
            .epochs = read_lists(json, "epochs", read_epoch),
            .system = read_lists(json, "system", read_sample),
            .trace = read_lists(json, "trace", read_slice),
            .summaries = read_lists(json, "summaries", summary_from_list),
            .updates = has_updates ? read_lists(json, "updates", read_update) : std::vector<UpdateRecord>{}};
}

json operator_times_to_json(const std::vector<OperatorTimes>& times) {
    return lists(times);
}

std::vector<OperatorTimes> operator_times_from_json(const json& json) {
    return read_lists(nlohmann::json{{"times", json}}, "times", read_times);
}

}  // namespace convoy
