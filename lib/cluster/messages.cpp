#include "cluster/messages.hpp"

#include <algorithm>
#include <array>

#include "base/path_text.hpp"
#include "cluster/endpoint.hpp"
#include "spec/parse.hpp"

namespace convoy::messages {

namespace {

template <typename Integer>
Integer at_least(Integer least, const nlohmann::json& message, const char* name) {
    const auto value = field<Integer>(message, name);
    if (value < least)
        throw DataError(fmt::format("a cluster message has {} {}, below {}", name, value, least));
    return value;
}

std::int64_t within(std::int64_t least, std::int64_t most, const nlohmann::json& message, const char* name) {
    const auto value = at_least(least, message, name);
    if (value > most)
        throw DataError(fmt::format("a cluster message has {} {}, above {}", name, value, most));
    return value;
}

nlohmann::json binary(std::span<const std::byte> bytes) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    return nlohmann::json::binary_t({first, first + bytes.size()});
}

template <std::size_t Size>
std::array<std::byte, Size> bytes_of(const nlohmann::json& message, const char* name) {
    const auto found = field<nlohmann::json::binary_t>(message, name);
    if (found.size() != Size)
        throw DataError(
            fmt::format("a cluster message has {} bytes of '{}', not {}", found.size(), name, Size));
    std::array<std::byte, Size> bytes;
    std::ranges::copy(std::as_bytes(std::span(found)), bytes.begin());
    return bytes;
}

}  // namespace

nlohmann::json encode(const Hello& hello) {
    nlohmann::json message{{"type", type::hello}, {"protocol", hello.protocol}, {"version", hello.version},
                           {"pid", hello.pid},    {"fabric", hello.fabric},     {"cores", hello.cores}};
    if (hello.rank) message["rank"] = *hello.rank;
    return message;
}

Hello decode_hello(const nlohmann::json& message) {
    Hello hello;
    hello.protocol = field<int>(message, "protocol");
    hello.version = field<std::string>(message, "version");
    hello.pid = at_least<std::int64_t>(1, message, "pid");
    hello.fabric = field<std::string>(message, "fabric");
    parse_endpoint(hello.fabric);  // the other nodes are to connect there
    hello.cores = at_least(1, message, "cores");
    if (message.contains("rank")) hello.rank = at_least(0, message, "rank");
    return hello;
}

namespace {

nlohmann::json encode_apart(const GoingApart& apart) {
    auto ranks = nlohmann::json::array();
    for (const auto& rank : apart.ranks) ranks.push_back({{"place", rank.place}, {"step", rank.step}});
    return {{"shares", apart.shares}, {"ranks", std::move(ranks)}};
}

constexpr std::int64_t most_shares = 4096;  ///< as many as a spec may have nodes

/// Throws DataError unless it is about so many ranks, in the order of their places, and each of the first
/// ones, which are workers, has a share. Servers have the places behind the shares.
GoingApart decode_apart(const nlohmann::json& message, std::int64_t ranks, std::int64_t workers) {
    if (workers < 1 || workers > ranks) fail_at_field("apart");
    GoingApart apart{.shares = within(1, most_shares, message, "shares"), .ranks = {}};
    const auto last = apart.shares + (ranks - workers) - 1;
    std::int64_t least = 0;
    for (const auto& each : field<nlohmann::json>(message, "ranks")) {
        apart.ranks.push_back(
            {.place = within(least, last, each, "place"), .step = at_least<std::int64_t>(0, each, "step")});
        least = apart.ranks.back().place + 1;
    }
    const bool fits = std::ssize(apart.ranks) == ranks &&
                      apart.ranks[static_cast<std::size_t>(workers) - 1].place < apart.shares;
    if (!fits) fail_at_field("apart");
    return apart;
}

}  // namespace

nlohmann::json encode(const Assign& assign) {
    const auto& node = assign.assignment;
    nlohmann::json message{{"type", type::assign},
                           {"rank", node.rank},
                           {"world_size", node.world_size},
                           {"spec", to_json(node.spec)},
                           {"data_folder", text_of_path(node.data_folder)},
                           {"threads", node.threads},
                           {"layout_threads", node.layout_threads},
                           {"generation", node.generation},
                           {"peers", assign.peers},
                           {"run", binary(assign.run)}};
    for (const auto& fault : node.faults)
        message["faults"].push_back(
            {{"step", fault.step}, {"kind", fault_name(fault.kind)}, {"factor", fault.factor}});
    if (assign.run_key) message["run_key"] = binary(*assign.run_key);
    if (node.apart) message["apart"] = encode_apart(*node.apart);
    if (assign.tls)
        message["tls"] = {{"certificate", assign.tls->certificate},
                          {"key", assign.tls->key},
                          {"authority", assign.tls->authority}};
    if (assign.always_seal) message["always_seal"] = true;
    if (node.resume) message["resume"] = encode(*node.resume);
    return message;
}

namespace {

std::vector<FaultSpec> decode_faults(const nlohmann::json& list, std::int64_t rank) {
    std::vector<FaultSpec> faults;
    for (const auto& each : list) {
        const auto name = field<std::string>(each, "kind");
        const auto* kind =
            std::ranges::find(fault_kind_names, name, &std::pair<std::string_view, FaultKind>::first);
        if (kind == std::end(fault_kind_names))
            throw DataError(fmt::format("a cluster message has an unknown fault '{}'", name));
        faults.push_back({.node = rank,
                          .step = at_least<std::int64_t>(1, each, "step"),
                          .kind = kind->second,
                          .factor = field<double>(each, "factor")});
    }
    return faults;
}

TlsFiles decode_tls(const nlohmann::json& files) {
    TlsFiles decoded{.certificate = field<std::string>(files, "certificate"),
                     .key = field<std::string>(files, "key"),
                     .authority = field<std::string>(files, "authority")};
    if (decoded.certificate.empty() != decoded.key.empty())
        throw DataError("a cluster message has a certificate without its key, or a key alone");
    return decoded;
}

}  // namespace

Assign decode_assign(const nlohmann::json& message) {
    Assign assign;
    auto& node = assign.assignment;
    node.rank = at_least(0, message, "rank");
    node.world_size = at_least(node.rank + 1, message, "world_size");
    node.spec = parse_spec(field<nlohmann::json>(message, "spec"), "the launcher's spec");
    node.data_folder = path_of_text(field<std::string>(message, "data_folder"));
    node.threads = at_least(1, message, "threads");
    node.layout_threads = at_least(node.threads, message, "layout_threads");
    node.generation = at_least(0, message, "generation");
    assign.peers = field<std::vector<std::string>>(message, "peers");
    if (assign.peers.size() != static_cast<std::size_t>(node.world_size))
        throw DataError(
            fmt::format("the launcher names {} peers for {} nodes", assign.peers.size(), node.world_size));
    assign.run = bytes_of<sizeof(RunId)>(message, "run");
    if (message.contains("faults")) node.faults = decode_faults(message.at("faults"), node.rank);
    if (message.contains("run_key")) assign.run_key = bytes_of<sizeof(Hmac)>(message, "run_key");
    if (message.contains("apart"))
        node.apart = decode_apart(message.at("apart"), node.world_size, node.spec.world_size());
    if (message.contains("tls")) assign.tls = decode_tls(message.at("tls"));
    if (message.contains("always_seal")) assign.always_seal = field<bool>(message, "always_seal");
    if (message.contains("resume")) node.resume = decode_checkpoint(message.at("resume"));
    return assign;
}

nlohmann::json encode(const Fingerprints& fingerprints) {
    return {{"type", type::agree}, {"fingerprints", fingerprints}};
}

Fingerprints decode_fingerprints(const nlohmann::json& message) {
    auto fingerprints = field<Fingerprints>(message, "fingerprints");
    const bool too_long = std::ranges::any_of(fingerprints, [](const auto& said) {
        return said.first.size() > most_topic_characters || said.second.size() > most_fingerprint_characters;
    });
    if (too_long || fingerprints.size() > most_topics)
        throw DataError("a cluster message has too many fingerprints, or one that is too long");
    return fingerprints;
}

nlohmann::json encode(const NodeProgress& progress) {
    return {{"type", type::progress},
            {"phase", progress.phase},
            {"file", progress.file},
            {"epoch", progress.epoch},
            {"epochs", progress.epochs},
            {"step", progress.step},
            {"steps", progress.steps},
            {"loss", progress.loss},
            {"accuracy", progress.accuracy},
            {"examples", progress.examples},
            {"examples_per_second", progress.examples_per_second}};
}

NodeProgress decode_progress(const nlohmann::json& message) {
    NodeProgress progress;
    progress.phase = field<std::string>(message, "phase");
    progress.file = field<std::string>(message, "file");
    progress.epoch = field<std::int64_t>(message, "epoch");
    progress.epochs = field<std::int64_t>(message, "epochs");
    progress.step = field<std::int64_t>(message, "step");
    progress.steps = field<std::int64_t>(message, "steps");
    progress.loss = field<double>(message, "loss");
    progress.accuracy = field<double>(message, "accuracy");
    progress.examples = field<std::int64_t>(message, "examples");
    progress.examples_per_second = field<double>(message, "examples_per_second");
    return progress;
}

nlohmann::json encode(const NodeCheckpoint& checkpoint, const char* kind) {
    return {{"type", kind}, {"node", to_json(checkpoint)}, {"tensors", binary(checkpoint.tensors)}};
}

NodeCheckpoint decode_checkpoint(const nlohmann::json& message) {
    auto checkpoint = node_checkpoint_from_json(field<nlohmann::json>(message, "node"));
    const auto tensors = field<nlohmann::json::binary_t>(message, "tensors");
    const auto view = std::as_bytes(std::span(tensors));
    checkpoint.tensors.assign(view.begin(), view.end());
    return checkpoint;
}

nlohmann::json encode(const char* kind, const Problem& problem) {
    return {{"type", kind}, {"code", static_cast<int>(problem.code)}, {"message", problem.message}};
}

Problem decode_problem(const nlohmann::json& message) {
    const auto code = field<int>(message, "code");
    // Success is no problem: a peer that says so has a bug.
    return {.code = code > 0 && code < 256 ? static_cast<ExitCode>(code) : ExitCode::bug,
            .message = field<std::string>(message, "message")};
}

}  // namespace convoy::messages
