#include "job/checkpoint.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "measure/records_json.hpp"

namespace convoy {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& what) {
    throw DataError(fmt::format("a node's checkpoint: {}", what));
}

const json& member(const json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end()) fail(fmt::format("{} is missing", key));
    return *found;
}

std::int64_t count(const json& object, const char* key) {
    const auto found = count_or_none(member(object, key));
    if (!found) fail(fmt::format("{}: expected an integer of at least 0", key));
    return *found;
}

}  // namespace

json to_json(const NodeCheckpoint& checkpoint) {
    NodeRecords records;
    records.steps = checkpoint.steps;
    records.epochs = {checkpoint.epoch};
    records.system = checkpoint.system;
    records.summaries = {checkpoint.so_far};
    return {{"step", checkpoint.step},
            {"best_validation_loss", checkpoint.validation.best_loss},
            {"epochs_without_improvement", checkpoint.validation.epochs_without_improvement},
            {"records", records_to_json(records)},
            {"operators", operator_times_to_json(checkpoint.operators)}};
}

NodeCheckpoint node_checkpoint_from_json(const json& json) {
    if (!json.is_object() || json.size() != 5) fail("expected an object with five members");
    auto records = records_from_json(member(json, "records"));
    if (records.epochs.size() != 1 || records.summaries.size() != 1)
        fail("records: expected one epoch and one summary");
    const auto& best_loss = member(json, "best_validation_loss");
    if (!best_loss.is_number()) fail("best_validation_loss: expected a number");
    return {.step = count(json, "step"),
            .validation = {.best_loss = best_loss.get<double>(),
                           .epochs_without_improvement = count(json, "epochs_without_improvement")},
            .epoch = records.epochs.front(),
            .steps = std::move(records.steps),
            .operators = operator_times_from_json(member(json, "operators")),
            .system = std::move(records.system),
            .so_far = records.summaries.front(),
            .tensors = {}};
}

}  // namespace convoy
