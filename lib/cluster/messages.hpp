#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/version.hpp"
#include "job/node_job.hpp"
#include "net/session.hpp"
#include "net/tls_context.hpp"

/// The messages between launcher and worker, as PROTOCOL.md describes them. Only lib/cluster's sources
/// include this.
namespace convoy::messages {

/// The version of the protocol. It rises with every change that an older convoy would read wrongly.
inline constexpr int protocol = 10;

/// The most rows, of all kinds together, in a message of records. A row has at most a few names of a thousand
/// bytes, so neither side needs much memory for one message.
inline constexpr std::size_t most_rows_of_records = 1000;

namespace type {
inline constexpr const char* welcome = "welcome";          // launcher -> worker
inline constexpr const char* hello = "hello";              // worker -> launcher
inline constexpr const char* assign = "assign";            // launcher -> worker
inline constexpr const char* agree = "agree";              // worker -> launcher
inline constexpr const char* agreed = "agreed";            // launcher -> worker
inline constexpr const char* ping = "ping";                // launcher -> worker
inline constexpr const char* pong = "pong";                // worker -> launcher
inline constexpr const char* progress = "progress";        // worker -> launcher
inline constexpr const char* records = "records";          // worker -> launcher
inline constexpr const char* weights = "weights";          // worker -> launcher
inline constexpr const char* checkpoint = "checkpoint";    // worker -> launcher
inline constexpr const char* kept = "kept";                // launcher -> worker
inline constexpr const char* stop = "stop";                // launcher -> worker
inline constexpr const char* at_step = "at_step";          // worker -> launcher
inline constexpr const char* stop_after = "stop_after";    // launcher -> worker
inline constexpr const char* pause = "pause";              // launcher -> worker
inline constexpr const char* pause_after = "pause_after";  // launcher -> worker
inline constexpr const char* suspend = "suspend";          // launcher -> worker
inline constexpr const char* suspended = "suspended";      // worker -> launcher
inline constexpr const char* give_state = "give_state";    // launcher -> worker
inline constexpr const char* state = "state";              // worker -> launcher
inline constexpr const char* fault = "fault";              // worker -> launcher
inline constexpr const char* fault_noted = "fault_noted";  // launcher -> worker
inline constexpr const char* partition = "partition";      // launcher -> worker
inline constexpr const char* done = "done";                // worker -> launcher
inline constexpr const char* failed = "failed";            // worker -> launcher
inline constexpr const char* abort = "abort";              // launcher -> worker
inline constexpr const char* bye = "bye";                  // launcher -> worker
}  // namespace type

/// A worker's description of itself, with which it joins.
struct Hello {
    int protocol = messages::protocol;
    std::string version{build_text()};  ///< of convoy and its build; both sides must have the same
    std::int64_t pid = 0;
    std::string fabric;  ///< HOST:PORT where its peers reach it
    int cores = 1;
    std::optional<std::int64_t> rank;  ///< the rank that it was started for; absent: any free one
};

/// The work of a worker.
struct Assign {
    NodeAssignment assignment;
    std::vector<std::string> peers;  ///< HOST:PORT of each rank's fabric
    RunId run{};
    /// The key by which the nodes know each other. Only a worker that the launcher started is told it; others
    /// compute it from the token.
    std::optional<Hmac> run_key;
    /// The connections between nodes are under TLS, with these files where the launcher started the worker.
    /// Absent: they are not.
    std::optional<TlsFiles> tls = {};
    bool always_seal = false;  ///< see LaunchOptions
};

/// An error that is sent to the other side.
struct Problem {
    ExitCode code = ExitCode::bug;
    std::string message;
};

nlohmann::json encode(const Hello& hello);
nlohmann::json encode(const Assign& assign);
nlohmann::json encode(const Fingerprints& fingerprints);
nlohmann::json encode(const NodeProgress& progress);
/// kind: checkpoint or state.
nlohmann::json encode(const NodeCheckpoint& checkpoint, const char* kind = type::checkpoint);
/// kind: failed or abort.
nlohmann::json encode(const char* kind, const Problem& problem);

Hello decode_hello(const nlohmann::json& message);
Assign decode_assign(const nlohmann::json& message);
/// Throws DataError if there are too many topics, or if a text is too long.
Fingerprints decode_fingerprints(const nlohmann::json& message);
NodeProgress decode_progress(const nlohmann::json& message);
NodeCheckpoint decode_checkpoint(const nlohmann::json& message);
Problem decode_problem(const nlohmann::json& message);

[[noreturn]] inline void fail_at_field(const char* name) {
    throw DataError(
        fmt::format("a cluster message has no usable field '{}'; do all nodes run the same convoy?", name));
}

/// A field of a received message. Throws DataError if it is absent, has another type, or does not fit T.
template <class T>
T field(const nlohmann::json& message, const char* name) {
    try {
        const auto& value = message.at(name);
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
            if (!is_integer_of<T>(value)) fail_at_field(name);
        return value.get<T>();
    } catch (const nlohmann::json::exception&) {
        fail_at_field(name);
    }
}

/// The type of a message, one of type::.
inline std::string type_of(const nlohmann::json& message) {
    return field<std::string>(message, "type");
}

}  // namespace convoy::messages
