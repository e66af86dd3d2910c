#include "cluster/control_messages.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "measure/records_json.hpp"

namespace convoy {

namespace {

namespace type = messages::type;

struct Encoder {
    nlohmann::json operator()(const told::Welcome& /*welcome*/) const {
        return {{"type", type::welcome}, {"protocol", messages::protocol}, {"version", build_text()}};
    }
    nlohmann::json operator()(const told::Ping& ping) const {
        return {{"type", type::ping}, {"number", ping.number}};
    }
    nlohmann::json operator()(const told::Agreed& /*agreed*/) const { return {{"type", type::agreed}}; }
    nlohmann::json operator()(const told::Kept& /*kept*/) const { return {{"type", type::kept}}; }
    nlohmann::json operator()(const told::Stop& /*stop*/) const { return {{"type", type::stop}}; }
    nlohmann::json operator()(const told::StopAfter& last) const {
        return {{"type", type::stop_after}, {"step", last.step}};
    }
    nlohmann::json operator()(const told::Pause& /*pause*/) const { return {{"type", type::pause}}; }
    nlohmann::json operator()(const told::PauseAfter& last) const {
        return {{"type", type::pause_after}, {"step", last.step}};
    }
    nlohmann::json operator()(const told::Suspend& /*suspend*/) const { return {{"type", type::suspend}}; }
    nlohmann::json operator()(const told::GiveState& /*give*/) const { return {{"type", type::give_state}}; }
    nlohmann::json operator()(const told::FaultNoted& /*noted*/) const {
        return {{"type", type::fault_noted}};
    }
    nlohmann::json operator()(const told::Partition& /*partition*/) const {
        return {{"type", type::partition}};
    }
    nlohmann::json operator()(const told::Bye& /*bye*/) const { return {{"type", type::bye}}; }
    nlohmann::json operator()(const told::Abort& abort) const {
        return messages::encode(type::abort, abort.problem);
    }
};

said::Weights decode_weights(const nlohmann::json& message) {
    const auto bytes = messages::field<nlohmann::json::binary_t>(message, "bytes");
    const auto view = std::as_bytes(std::span(bytes));
    return {.safetensors = {view.begin(), view.end()}};
}

said::Suspended decode_suspended(const nlohmann::json& message) {
    said::Suspended suspended{.step = messages::field<std::int64_t>(message, "step"), .problem = {}};
    if (message.contains("code")) suspended.problem = messages::decode_problem(message);
    return suspended;
}

NodeRecords decode_records(const nlohmann::json& message) {
    auto records = records_from_json(messages::field<nlohmann::json>(message, "records"));
    if (records.rows() > messages::most_rows_of_records)
        throw DataError(fmt::format("a message has {} rows of records, more than {}", records.rows(),
                                    messages::most_rows_of_records));
    return records;
}

}  // namespace

MemberMessage decode_member_message(const nlohmann::json& message) {
    using messages::field;
    auto kind = messages::type_of(message);
    if (kind == type::pong)
        return said::Pong{.number = field<std::uint64_t>(message, "number"),
                          .clock_us = field<double>(message, "clock_us"),
                          .busy_us = field<double>(message, "busy_us")};
    if (kind == type::progress) return messages::decode_progress(message);
    if (kind == type::agree) return said::Agree{.fingerprints = messages::decode_fingerprints(message)};
    if (kind == type::records) return decode_records(message);
    if (kind == type::weights) return decode_weights(message);
    if (kind == type::checkpoint) return messages::decode_checkpoint(message);
    if (kind == type::at_step) return said::AtStep{.step = field<std::int64_t>(message, "step")};
    if (kind == type::suspended) return decode_suspended(message);
    if (kind == type::state) return said::State{.checkpoint = messages::decode_checkpoint(message)};
    if (kind == type::fault) return said::FaultComes{.step = field<std::int64_t>(message, "step")};
    if (kind == type::done) return said::Done{.stopped = field<bool>(message, "stopped")};
    if (kind == type::failed) return said::Failed{.problem = messages::decode_problem(message)};
    return said::Unknown{.type = std::move(kind)};
}

nlohmann::json encode(const LauncherMessage& message) {
    return std::visit(Encoder{}, message);
}

LauncherMessage decode_launcher_message(const nlohmann::json& message) {
    using messages::field;
    const auto kind = messages::type_of(message);
    if (kind == type::ping) return told::Ping{.number = field<std::uint64_t>(message, "number")};
    if (kind == type::stop_after) return told::StopAfter{.step = field<std::int64_t>(message, "step")};
    if (kind == type::pause_after) return told::PauseAfter{.step = field<std::int64_t>(message, "step")};
    if (kind == type::abort) return told::Abort{.problem = messages::decode_problem(message)};
    if (kind == type::welcome) return told::Welcome{};
    if (kind == type::agreed) return told::Agreed{};
    if (kind == type::kept) return told::Kept{};
    if (kind == type::stop) return told::Stop{};
    if (kind == type::pause) return told::Pause{};
    if (kind == type::suspend) return told::Suspend{};
    if (kind == type::give_state) return told::GiveState{};
    if (kind == type::fault_noted) return told::FaultNoted{};
    if (kind == type::partition) return told::Partition{};
    if (kind == type::bye) return told::Bye{};
    throw DisagreementError(fmt::format("the launcher sent an unknown message '{}'", kind));
}

}  // namespace convoy
