#include "checkpoint/checkpoint_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/cbor.hpp"
#include "base/error.hpp"
#include "base/json_integer.hpp"
#include "base/sha256.hpp"
#include "measure/summary_json.hpp"

static_assert(std::endian::native == std::endian::little, "integers are copied as they lie in memory");

namespace convoy {
namespace {

using nlohmann::json;
using namespace checkpoint_format;

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Copies part to the front of room, and leaves what is behind it.
void put(std::span<std::byte>& room, std::span<const std::byte> part) {
    std::ranges::copy(part, room.begin());
    room = room.subspan(part.size());
}

template <typename Number>
void put_number(std::span<std::byte>& room, Number number) {
    put(room, std::as_bytes(std::span(&number, 1)));
}

json state_of(const KeptCheckpoint& kept) {
    auto nodes = json::array();
    for (const auto& node : kept.checkpoint.nodes) nodes.push_back(to_json(node));
    auto gone = json::array();
    for (const auto& summary : kept.checkpoint.gone) gone.push_back(summary_to_list(summary));
    return {{"run_id", kept.identity.run_id},
            {"training_id", kept.identity.training_id},
            {"distribution_id", kept.identity.distribution_id},
            {"marks", kept.checkpoint.marks},
            {"gone", std::move(gone)},
            {"resumed_from_steps", kept.checkpoint.resumed_from_steps},
            {"nodes", std::move(nodes)}};
}

const json& member(const json& object, const char* key, json::value_t type) {
    const auto found = object.find(key);
    if (found == object.end() || found->type() != type)
        throw DataError(fmt::format("its state has no usable {}", key));
    return *found;
}

/// A list of integers of at least 0.
std::vector<std::int64_t> counts(const json& state, const char* key) {
    std::vector<std::int64_t> all;
    for (const auto& value : member(state, key, json::value_t::array)) {
        const auto count = count_or_none(value);
        if (!count) throw DataError(fmt::format("its state has no usable {}", key));
        all.push_back(*count);
    }
    return all;
}

/// The way back, without tensors.
KeptCheckpoint kept_from_json(const json& state) {
    if (!state.is_object() || state.size() != 7)
        throw DataError("its state is not an object with seven members");
    KeptCheckpoint kept;
    kept.identity.run_id = member(state, "run_id", json::value_t::string);
    kept.identity.training_id = member(state, "training_id", json::value_t::string);
    kept.identity.distribution_id = member(state, "distribution_id", json::value_t::string);
    auto& checkpoint = kept.checkpoint;
    for (const auto mark : counts(state, "marks"))
        checkpoint.marks.push_back(static_cast<std::uint64_t>(mark));
    checkpoint.resumed_from_steps = counts(state, "resumed_from_steps");
    const auto& gone = member(state, "gone", json::value_t::array);
    if (checkpoint.marks.size() > most_nodes || gone.size() > most_nodes)
        throw DataError(
            fmt::format("marks of {} nodes, expected at most {}", checkpoint.marks.size(), most_nodes));
    for (const auto& summary : gone) checkpoint.gone.push_back(summary_from_list(summary, "gone"));
    const auto& nodes = member(state, "nodes", json::value_t::array);
    if (nodes.empty() || nodes.size() > most_nodes)
        throw DataError(fmt::format("{} nodes, expected 1 to {}", nodes.size(), most_nodes));
    for (const auto& node : nodes) checkpoint.nodes.push_back(node_checkpoint_from_json(node));
    const auto elsewhere = [&](const NodeCheckpoint& node) { return node.step != checkpoint.step(); };
    if (std::ranges::any_of(checkpoint.nodes, elsewhere)) throw DataError("its nodes are at different steps");
    return kept;
}

/// Reads one file's parts, from front to back, and names it in errors.
class Reader {
  public:
    Reader(std::span<const std::byte> bytes, const std::string& source) : left_(bytes), source_(source) {}

    KeptCheckpoint read() {
        check_whole();
        take(magic.size() + sizeof version);
        const auto tensor_files = number<std::uint32_t>();
        const auto state_bytes = number<std::uint64_t>();
        if (tensor_files < 1 || tensor_files > most_nodes)
            fail(fmt::format("{} tensor files, expected 1 to {}", tensor_files, most_nodes));
        std::vector<std::uint64_t> lengths(tensor_files);
        for (auto& length : lengths) length = number<std::uint64_t>();
        auto kept = read_state(take(state_bytes));
        auto& nodes = kept.checkpoint.nodes;
        if (tensor_files != 1 && tensor_files != nodes.size())
            fail(fmt::format("{} tensor files for {} nodes", tensor_files, nodes.size()));
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const auto tensors = take(lengths[i]);
            nodes[i].tensors.assign(tensors.begin(), tensors.end());
        }
        if (!left_.empty()) fail(fmt::format("{} bytes too many", left_.size()));
        return kept;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const {
        throw DataError(fmt::format("{}: not a whole checkpoint: {}", source_, what));
    }

    /// Checks what can be told of any file, and takes the digest off its end.
    void check_whole() {
        if (left_.size() < header_bytes + digest_bytes) fail(fmt::format("{} bytes", left_.size()));
        if (as_text(left_.first(magic.size())) != magic) fail("it does not begin as one");
        std::uint32_t found = 0;
        std::memcpy(&found, left_.data() + magic.size(), sizeof found);
        const auto content = left_.first(left_.size() - digest_bytes);
        if (sha256(as_text(content)) != as_text(left_.last(digest_bytes)))
            fail("its SHA-256 differs from the one at its end");
        if (found != version) fail(fmt::format("it has version {}, expected {}", found, version));
        left_ = content;
    }

    std::span<const std::byte> take(std::uint64_t bytes) {
        if (bytes > left_.size()) fail(fmt::format("{} bytes expected, {} left", bytes, left_.size()));
        const auto part = left_.first(static_cast<std::size_t>(bytes));
        left_ = left_.subspan(part.size());
        return part;
    }

    template <typename Number>
    Number number() {
        Number value = 0;
        std::memcpy(&value, take(sizeof value).data(), sizeof value);
        return value;
    }

    [[nodiscard]] KeptCheckpoint read_state(std::span<const std::byte> bytes) const {
        try {
            return kept_from_json(decode_cbor(bytes, "its state is not CBOR"));
        } catch (const DataError& error) {
            fail(error.what());
        }
    }

    std::span<const std::byte> left_;
    const std::string& source_;
};

}  // namespace

std::vector<std::byte> encode_checkpoint(const KeptCheckpoint& kept) {
    const auto& nodes = kept.checkpoint.nodes;
    const bool apart = std::ranges::any_of(nodes.begin() + 1, nodes.end(),
                                           [](const NodeCheckpoint& node) { return !node.tensors.empty(); });
    const std::span<const NodeCheckpoint> with_tensors(nodes.data(), apart ? nodes.size() : 1);
    const auto state = encode_cbor(state_of(kept));
    std::size_t total = header_bytes + state.size() + digest_bytes;
    for (const auto& node : with_tensors) total += length_bytes + node.tensors.size();

    std::vector<std::byte> bytes(total);
    std::span<std::byte> room(bytes);
    put(room, std::as_bytes(std::span(magic)));
    put_number(room, version);
    put_number(room, static_cast<std::uint32_t>(with_tensors.size()));
    put_number(room, static_cast<std::uint64_t>(state.size()));
    for (const auto& node : with_tensors) put_number(room, static_cast<std::uint64_t>(node.tensors.size()));
    put(room, state);
    for (const auto& node : with_tensors) put(room, node.tensors);
    const auto digest = sha256(as_text(std::span(bytes).first(total - digest_bytes)));
    put(room, std::as_bytes(std::span(digest)));
    return bytes;
}

KeptCheckpoint decode_checkpoint(std::span<const std::byte> bytes, const std::string& source) {
    return Reader(bytes, source).read();
}

}  // namespace convoy
