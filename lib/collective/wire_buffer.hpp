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

/// A rank's buffer in an exchange, seen as what travels of it. Refers to the caller's
/// memory.
class WireBuffer {
  public:
    /// wire: how floats travel; integers travel as they are. Throws InternalError for a SparsifiedBuffer, of
    /// which pieces travel.
    WireBuffer(const ReduceBuffer& buffer, WireType wire);
    /// Pieces are never added on the way, only replaced.
    explicit WireBuffer(GatheredPieces pieces);

    [[nodiscard]] std::uint64_t size() const;          ///< in elements
    [[nodiscard]] ElementType type() const;            ///< of an element on the wire
    [[nodiscard]] std::size_t element_bytes() const {  ///< on the wire
        return element_bytes_;
    }
    /// Whether the bytes of a range can be sent from where they lie, and read into it.
    [[nodiscard]] bool travels_as_stored() const;
    [[nodiscard]] std::span<std::byte> stored(ElementRange range) const;

    /// Writes a range of floats as it travels; rounds: and rounds it in place to what will arrive.
    void encode(ElementRange range, std::span<std::byte> into, bool rounds) const;
    /// Adds what arrived to a range, or replaces the range by it.
    void add(ElementRange range, std::span<const std::byte> arrived) const;
    void replace(ElementRange range, std::span<const std::byte> arrived) const;
    /// Checks what was read into a range from peer. Throws DataError that names it where no rank of this run
    /// can have sent that.
    void check(ElementRange range, std::string_view peer) const;
    /// Rounds everything to what can travel.
    void round() const;

  private:
    using Elements = std::variant<std::span<float>, std::span<std::int64_t>, GatheredPieces>;
    static Elements elements_of(const ReduceBuffer& buffer);

    Elements elements_;
    WireType wire_;
    std::size_t element_bytes_;
};

}  // namespace convoy
