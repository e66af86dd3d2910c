#include "collective/wire_buffer.hpp"

#include <cstring>

#include "base/error.hpp"
#include "collective/wire.hpp"

namespace convoy {
namespace {

/// The part of a buffer of any kind.
template <typename Element>
std::span<Element> part(std::span<Element> elements, ElementRange range) {
    return elements.subspan(range.first, range.count);
}
std::span<SparseEntry> part(const GatheredPieces& pieces, ElementRange range) {
    return part(pieces.entries, range);
}

template <typename Element>
std::uint64_t count(std::span<Element> elements) {
    return elements.size();
}
std::uint64_t count(const GatheredPieces& pieces) {
    return pieces.entries.size();
}

/// Unsigned, since a sum that wraps is the peers' fault and not undefined.
void add_integers(const std::byte* arrived, std::span<std::int64_t> sums) {
    for (std::size_t i = 0; i < sums.size(); ++i) {
        std::uint64_t more = 0;
        std::memcpy(&more, arrived + i * sizeof(more), sizeof(more));
        sums[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sums[i]) + more);
    }
}

}  // namespace

WireBuffer::WireBuffer(const ReduceBuffer& buffer, WireType wire)
    : elements_(elements_of(buffer)), wire_(wire), element_bytes_(convoy::element_bytes(type())) {}

WireBuffer::WireBuffer(GatheredPieces pieces)
    : elements_(pieces), wire_(WireType::top_k), element_bytes_(convoy::element_bytes(type())) {}

WireBuffer::Elements WireBuffer::elements_of(const ReduceBuffer& buffer) {
    if (const auto* floats = std::get_if<std::span<float>>(&buffer)) return *floats;
    if (const auto* integers = std::get_if<std::span<std::int64_t>>(&buffer)) return *integers;
    throw InternalError("a sparsified buffer does not travel itself");
}

std::uint64_t WireBuffer::size() const {
    return std::visit([](auto elements) { return count(elements); }, elements_);
}

ElementType WireBuffer::type() const {
    if (std::holds_alternative<GatheredPieces>(elements_)) return ElementType::sparse_float32;
    return std::holds_alternative<std::span<float>>(elements_) ? element_type(wire_) : ElementType::int64;
}

bool WireBuffer::travels_as_stored() const {
    return wire_ == WireType::float32 || !std::holds_alternative<std::span<float>>(elements_);
}

std::span<std::byte> WireBuffer::stored(ElementRange range) const {
    return std::visit([&](auto elements) { return std::as_writable_bytes(part(elements, range)); },
                      elements_);
}

void WireBuffer::encode(ElementRange range, std::span<std::byte> into, bool rounds) const {
    const auto values = part(std::get<std::span<float>>(elements_), range);
    if (rounds) {
        convoy::encode(wire_, values, into);
    } else {
        encode_copy(wire_, values, into);
    }
}

void WireBuffer::add(ElementRange range, std::span<const std::byte> arrived) const {
    if (const auto* floats = std::get_if<std::span<float>>(&elements_)) {
        decode_add(wire_, arrived, part(*floats, range));
    } else {
        add_integers(arrived.data(), part(std::get<std::span<std::int64_t>>(elements_), range));
    }
}

void WireBuffer::replace(ElementRange range, std::span<const std::byte> arrived) const {
    if (travels_as_stored()) {
        std::memcpy(stored(range).data(), arrived.data(), arrived.size());
    } else {
        decode(wire_, arrived, part(std::get<std::span<float>>(elements_), range));
    }
}

void WireBuffer::check(ElementRange range, std::string_view peer) const {
    if (const auto* pieces = std::get_if<GatheredPieces>(&elements_)) pieces->check(range, peer);
}

void WireBuffer::round() const {
    if (const auto* floats = std::get_if<std::span<float>>(&elements_)) round_to(wire_, *floats);
}

}  // namespace convoy
