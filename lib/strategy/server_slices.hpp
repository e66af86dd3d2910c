#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "exchange/element_range.hpp"
#include "program/program.hpp"

namespace convoy {

/// Elements of a bucket that go to one server in one push, and come back in one pull.
struct ServerSlice {
    std::int64_t server = 0;  ///< counted from 0
    std::size_t index = 0;    ///< its place among the slices of the bucket
    ElementRange range = {};
    bool operator==(const ServerSlice&) const = default;
};

/// Whether a tensor may be divided among servers.
enum class TensorCut : std::uint8_t { anywhere, nowhere };

/// The slices of each bucket, in the order in which they travel.
///
/// The elements of all buckets are shared evenly by the servers. A bucket so small that the part of a server
/// would have less than 4 KiB goes to one server as a whole: the largest first, each to the server that has
/// least. Any larger bucket is cut so that the servers then have equally many elements. The part of a server
/// has slices of at most about slice_bytes, so that the server answers the first of them while the next are
/// under way; the slices of different servers take turns. With TensorCut::nowhere each bucket is one slice.
/// Slices begin at multiples of chunk_unit elements.
std::vector<std::vector<ServerSlice>> server_slices(std::span<const Bucket> buckets, std::int64_t servers,
                                                    std::int64_t slice_bytes, TensorCut cut);

/// Finds the elements of parameters, and the work on them, that belong to a slice.
class SliceContent {
  public:
    /// program: its buckets are those that the slices divide.
    explicit SliceContent(const Program& program);

    /// The elements of a trained parameter, counted from its first, that lie in a range of its gradient's
    /// bucket. Without elements if none does. name: of the parameter.
    [[nodiscard]] ElementRange elements_of(const std::string& name, const ElementRange& range) const;
    /// The same operators, each for those elements of its parameter only; those of a parameter that has none
    /// are left out. operators: they have the names of parameters of this bucket, work element by element,
    /// and write only to tensors of the parameter.
    [[nodiscard]] std::vector<Operator> operators_of(const ElementRange& range,
                                                     std::span<const Operator> operators) const;

  private:
    struct Place {
        std::uint64_t first = 0, elements = 0;  ///< in the bucket
    };
    std::map<std::string, Place> places_;
};

}  // namespace convoy
