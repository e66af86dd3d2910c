#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>

#include "tensor/shape.hpp"

namespace convoy::onednn {

using Desc = dnnl::memory::desc;
using DataType = dnnl::memory::data_type;

/// How a tensor lies in memory. The desc of a flattened tensor may still be the N,C,H,W one it came with: its
/// elements are then in that one's order, and flat_rows() shows it as rows of a matrix.
///
/// A dense layer that reads such rows has its weights' columns in the same order; `columns` then says which.
struct Layout {
    Desc desc;
    std::optional<Desc> columns;  ///< weights only: O,C,H,W whose rows, as they lie, are the columns of desc

    bool operator==(const Layout& other) const { return desc == other.desc && columns == other.columns; }
    [[nodiscard]] std::size_t bytes() const { return desc.get_size(); }
    /// Elements in memory, padding included.
    [[nodiscard]] std::int64_t stored_elements() const {
        return static_cast<std::int64_t>(bytes() / dnnl::memory::data_type_size(desc.data_type()));
    }
    [[nodiscard]] std::int64_t elements() const;
    /// Whether every stored value is an element, so that the tensor may lie in a bucket and be updated as a
    /// flat array.
    [[nodiscard]] bool dense() const { return stored_elements() == elements(); }
    /// Whether it is plain(desc), without an order of columns.
    [[nodiscard]] bool is_plain() const;
    /// The format as text, equal exactly where the memory order is equal.
    [[nodiscard]] std::string text() const;
};

/// A tensor in the order of its axes.
Desc plain(const dnnl::memory::dims& dims, DataType type = DataType::f32);
Desc plain(const Shape& shape, DataType type = DataType::f32);
/// The tensor of a desc in the order of its axes.
Desc plain(const Desc& desc);
/// The same order of values of another type.
Desc retyped(const Desc& desc, DataType type);

/// An activation in one of the orders that own loops can walk: [N][C / block][area][block].
struct ChannelOrder {
    std::int64_t examples = 0;
    std::int64_t channels = 0;
    std::int64_t area = 1;   ///< H x W
    std::int64_t block = 1;  ///< channels side by side in memory

    [[nodiscard]] std::int64_t blocks() const { return (channels + block - 1) / block; }
    /// Values of one example in memory, padding channels included.
    [[nodiscard]] std::int64_t stored_per_example() const { return blocks() * area * block; }
};

/// The order of a desc; absent where it is none of these.
std::optional<ChannelOrder> channel_order(const Desc& desc);

/// An activation as the rows of a matrix, in memory order: {N, elements per example}. Absent where examples
/// are not contiguous or padded.
std::optional<Desc> flat_rows(const Desc& desc);

/// The format of `activation` (one that channel_order knows) for another number of rows: its own C,H,W.
Desc rows_like(const Desc& activation, std::int64_t rows);
/// The format of `activation` for another shape.
Desc rows_like(const Desc& activation, const Shape& shape);

}  // namespace convoy::onednn
