#include "measure/contention_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/name_rule.hpp"

namespace convoy {
namespace {

using nlohmann::json;

template <typename Value>
json json_of(const std::optional<Value>& value) {
    return value ? json(*value) : json();
}

/// Reads the fields of an object by name.
class Fields {
  public:
    Fields(const json& object, const std::string& where) : object_(object), where_(where) {
        if (!object.is_object()) throw DataError(fmt::format("{}: expected an object", where));
    }

    [[nodiscard]] bool has(const char* key) const { return object_.contains(key); }
    [[nodiscard]] std::optional<double> amount(const char* key) const {
        const auto& value = member(key);
        if (value.is_null()) return std::nullopt;
        const bool fits = value.is_number() && value.get<double>() >= 0.0 && value.get<double>() <= 1e300;
        if (!fits) fail(key, "a finite number of at least 0, or null");
        return value.get<double>();
    }
    [[nodiscard]] std::optional<std::int64_t> count(const char* key) const {
        const auto& value = member(key);
        if (value.is_null()) return std::nullopt;
        const auto found = count_or_none(value);
        if (!found) fail(key, "an integer of at least 0, or null");
        return found;
    }
    /// A name that may stand in a message, or nothing.
    [[nodiscard]] std::string name(const char* key) const {
        const auto& value = member(key);
        const bool fits = value.is_string() && (value.get_ref<const std::string&>().empty() ||
                                                file_names.allows(value.get_ref<const std::string&>()));
        if (!fits) fail(key, file_names.expected());
        return value.get<std::string>();
    }
    /// Absent in runs from before version 0.2, too.
    [[nodiscard]] std::optional<CoreList> cores(const char* key) const {
        if (!object_.contains(key) || object_.at(key).is_null()) return std::nullopt;
        const auto& value = object_.at(key);
        auto list = value.is_string() ? CoreList::parse(value.get_ref<const std::string&>()) : std::nullopt;
        if (!list) fail(key, "a list of cores, as in \"0-3,8\", or null");
        return list;
    }
    template <typename Value>
    Value required(const char* key, const std::optional<Value>& value) const {
        if (!value) fail(key, "a number");
        return *value;
    }

  private:
    [[nodiscard]] const json& member(const char* key) const {
        const auto found = object_.find(key);
        if (found == object_.end()) fail(key, "a value or null");
        return *found;
    }
    [[noreturn]] void fail(const char* key, const std::string& expected) const {
        throw DataError(fmt::format("{}: {}: expected {}", where_, key, expected));
    }

    const json& object_;
    const std::string& where_;
};

}  // namespace

json contention_to_json(const Contention& contention) {
    return {{"machine", contention.machine},
            {"boot_id", contention.boot_id},
            {"elapsed_s", contention.elapsed_s},
            {"cpu_s", contention.cpu_s},
            {"starter_cpu_s", json_of(contention.starter_cpu_s)},
            {"waited_s", json_of(contention.waited_s)},
            {"involuntary_switches", contention.involuntary_switches},
            {"machine_busy_s", json_of(contention.machine_busy_s)},
            {"steal_s", json_of(contention.steal_s)},
            {"cores", contention.cores},
            {"usable_cores", contention.usable_cores},
            {"core_list", contention.core_list ? json(contention.core_list->text()) : json()},
            {"load_at_start", json_of(contention.load_at_start)},
            {"start_mhz", json_of(contention.start_mhz)},
            {"end_mhz", json_of(contention.end_mhz)},
            {"host", json_of(contention.host)},
            {"host_cpu", json_of(contention.host_cpu)},
            {"retransmits", json_of(contention.retransmits)}};
}

Contention contention_from_json(const json& object, const std::string& where) {
    const Fields fields(object, where);
    const auto amount = [&](const char* key) { return fields.required(key, fields.amount(key)); };
    const auto count = [&](const char* key) { return fields.required(key, fields.count(key)); };
    return {.machine = fields.name("machine"),
            .boot_id = fields.name("boot_id"),
            .elapsed_s = amount("elapsed_s"),
            .cpu_s = amount("cpu_s"),
            .starter_cpu_s = fields.amount("starter_cpu_s"),
            .waited_s = fields.amount("waited_s"),
            .involuntary_switches = count("involuntary_switches"),
            .machine_busy_s = fields.amount("machine_busy_s"),
            .steal_s = fields.amount("steal_s"),
            .cores = count("cores"),
            .usable_cores = count("usable_cores"),
            .core_list = fields.cores("core_list"),
            .load_at_start = fields.amount("load_at_start"),
            .start_mhz = fields.amount("start_mhz"),
            .end_mhz = fields.amount("end_mhz"),
            .host = fields.count("host"),
            .host_cpu = fields.amount("host_cpu"),
            // Runs of before version 0.2 do not have it.
            .retransmits = fields.has("retransmits") ? fields.count("retransmits") : std::nullopt};
}

}  // namespace convoy
