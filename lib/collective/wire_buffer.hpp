#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "collective/top_k.hpp"
#include "exchange/element_range.hpp"
#include "net/frame.hpp"
#include "program/communicator.hpp"

namespace convoy {

/// A rank's buffer in an exchange, as elements on the wire. It refers to the caller's memory.
class WireBuffer {
  public:
    /// wire: the type on the wire of floats; integers travel unchanged. Throws InternalError for a
    /// SparsifiedBuffer; its pieces travel as GatheredPieces.
    WireBuffer(const ReduceBuffer& buffer, WireType wire);
    /// Pieces are only replaced, never added.
    explicit WireBuffer(GatheredPieces pieces);

    [[nodiscard]] std::uint64_t size() const;          ///< in elements
    [[nodiscard]] ElementType type() const;            ///< of an element on the wire
    [[nodiscard]] std::size_t element_bytes() const {  ///< on the wire
        return element_bytes_;
    }
    /// Whether the bytes of a range can be sent from the buffer and received into the buffer, without a copy.
    [[nodiscard]] bool travels_as_stored() const;
    [[nodiscard]] std::span<std::byte> stored(ElementRange range) const;

    /// Writes a range of floats in the type on the wire. rounds: also rounds the range in place.
    void encode(ElementRange range, std::span<std::byte> into, bool rounds) const;
    /// Adds received bytes to a range (add), or replaces the range by them (replace).
    void add(ElementRange range, std::span<const std::byte> arrived) const;
    void replace(ElementRange range, std::span<const std::byte> arrived) const;
    /// Checks the bytes that a peer sent into a range. Throws a DataError that names the peer if no rank of
    /// this run can have sent these bytes.
    void check(ElementRange range, std::string_view peer) const;
    /// Rounds the whole buffer to the type on the wire.
    void round() const;

  private:
    using Elements = std::variant<std::span<float>, std::span<std::int64_t>, GatheredPieces>;
    static Elements elements_of(const ReduceBuffer& buffer);

    Elements elements_;
    WireType wire_;
    std::size_t element_bytes_;
};

}  // namespace convoy
