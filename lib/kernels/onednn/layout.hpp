#pragma once

#include <cstddef>
#include <oneapi/dnnl/dnnl.hpp>
#include <optional>
#include <string>

#include "tensor/shape.hpp"

namespace convoy::onednn {

using Desc = dnnl::memory::desc;
using DataType = dnnl::memory::data_type;

/// The memory layout of a tensor. The desc of a flattened tensor may still be the desc N,C,H,W of the tensor
/// before the flatten. Its elements are then in the order of that desc, and flat_rows() shows it as rows of a
/// matrix.
///
/// The kernel of a convolution with several groups, O,I,H,W in the program, is G,O/G,I,H,W here. Both are the
/// same memory in plain order.
///
/// A dense layer that reads such rows has the columns of its weights in the same order, and `columns` has
/// this order.
struct Layout {
    Desc desc;
    /// For weights only: a desc O,C,H,W whose rows, in memory order, are the columns of desc.
    std::optional<Desc> columns;

    bool operator==(const Layout& other) const { return desc == other.desc && columns == other.columns; }
    [[nodiscard]] std::size_t bytes() const { return desc.get_size(); }
    /// The number of elements in memory, with padding.
    [[nodiscard]] std::int64_t stored_elements() const {
        return static_cast<std::int64_t>(bytes() / dnnl::memory::data_type_size(desc.data_type()));
    }
    [[nodiscard]] std::int64_t elements() const;
    /// Whether each stored value is an element (no padding). Then the tensor may lie in a bucket, and may be
    /// updated as a flat array.
    [[nodiscard]] bool dense() const { return stored_elements() == elements(); }
    /// Whether it is plain(desc), without an order of columns.
    [[nodiscard]] bool is_plain() const;
    /// The format as text. Two texts are equal exactly if the memory orders are equal.
    [[nodiscard]] std::string text() const;
};

/// A tensor in the order of its axes.
Desc plain(const dnnl::memory::dims& dims, DataType type = DataType::f32);
Desc plain(const Shape& shape, DataType type = DataType::f32);
/// The tensor of a desc in the order of its axes.
Desc plain(const Desc& desc);
/// The same memory order for values of another type.
Desc retyped(const Desc& desc, DataType type);

/// An activation in a memory order that the hand-written loops support: [N][C / block][area][block].
struct ChannelOrder {
    std::int64_t examples = 0;
    std::int64_t channels = 0;
    std::int64_t area = 1;   ///< H x W
    std::int64_t block = 1;  ///< channels side by side in memory

    [[nodiscard]] std::int64_t blocks() const { return (channels + block - 1) / block; }
    /// The number of values of one example in memory, with padding channels.
    [[nodiscard]] std::int64_t stored_per_example() const { return blocks() * area * block; }
};

/// The order of a desc. Absent if the loops do not support it.
std::optional<ChannelOrder> channel_order(const Desc& desc);

/// An activation as the rows of a matrix, in memory order: {N, elements of an example}. Absent if examples
/// are not contiguous, or are padded.
std::optional<Desc> flat_rows(const Desc& desc);

/// The format of `activation` for another number of rows, with the same C,H,W. channel_order must support the
/// format.
Desc rows_like(const Desc& activation, std::int64_t rows);
/// The format of `activation` for another shape.
Desc rows_like(const Desc& activation, const Shape& shape);

}  // namespace convoy::onednn
