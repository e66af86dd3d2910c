#include "collective/wire_buffer.hpp"

#include <cstring>

#include "collective/wire.hpp"

namespace convoy {
namespace {

/// The part of a buffer of either kind.
template <typename Element>
std::span<Element> part(std::span<Element> elements, ElementRange range) {
    return elements.subspan(range.first, range.count);
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

WireBuffer::WireBuffer(ReduceBuffer buffer, WireType wire)
    : buffer_(buffer), wire_(wire), element_bytes_(convoy::element_bytes(type())) {}

std::uint64_t WireBuffer::size() const {
    return std::visit([](auto elements) { return std::uint64_t{elements.size()}; }, buffer_);
}

ElementType WireBuffer::type() const {
    return std::holds_alternative<std::span<float>>(buffer_) ? element_type(wire_) : ElementType::int64;
}

bool WireBuffer::travels_as_stored() const {
    return wire_ == WireType::float32 || type() == ElementType::int64;
}

std::span<std::byte> WireBuffer::stored(ElementRange range) const {
    return std::visit([&](auto elements) { return std::as_writable_bytes(part(elements, range)); }, buffer_);
}

void WireBuffer::encode(ElementRange range, std::span<std::byte> into) const {
    convoy::encode(wire_, part(std::get<std::span<float>>(buffer_), range), into);
}

void WireBuffer::add(ElementRange range, std::span<const std::byte> arrived) const {
    if (const auto* floats = std::get_if<std::span<float>>(&buffer_)) {
        decode_add(wire_, arrived, part(*floats, range));
    } else {
        add_integers(arrived.data(), part(std::get<std::span<std::int64_t>>(buffer_), range));
    }
}

void WireBuffer::replace(ElementRange range, std::span<const std::byte> arrived) const {
    if (travels_as_stored()) {
        std::memcpy(stored(range).data(), arrived.data(), arrived.size());
    } else {
        decode(wire_, arrived, part(std::get<std::span<float>>(buffer_), range));
    }
}

void WireBuffer::round() const {
    if (const auto* floats = std::get_if<std::span<float>>(&buffer_)) round_to(wire_, *floats);
}

}  // namespace convoy
