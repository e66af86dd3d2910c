#include "kernels/onednn/layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <span>

#include "base/error.hpp"

namespace convoy::onednn {
namespace {

using Tag = dnnl::memory::format_tag;

/// The orders of N,C,H,W that own loops know, with the channels each keeps side by side.
struct KnownOrder {
    Tag tag;
    std::int64_t block;
};
constexpr std::array<KnownOrder, 3> known_orders{{{Tag::nchw, 1}, {Tag::nChw16c, 16}, {Tag::nChw8c, 8}}};

std::optional<KnownOrder> known_order(const Desc& desc) {
    for (const auto& order : known_orders) {
        if (desc.dims().size() == 4 && Desc(desc.dims(), desc.data_type(), order.tag) == desc) return order;
    }
    return std::nullopt;
}

std::string text_of(const Desc& desc) {
    const auto& blocking = desc.data.format_desc.blocking;
    const auto rank = static_cast<std::size_t>(desc.data.ndims);
    const auto inner = static_cast<std::size_t>(blocking.inner_nblks);
    return fmt::format("{}/{}/{}@{}", fmt::join(desc.dims(), "x"),
                       fmt::join(std::span(blocking.strides).first(rank), ","),
                       fmt::join(std::span(blocking.inner_blks).first(inner), ","),
                       fmt::join(std::span(blocking.inner_idxs).first(inner), ","));
}

}  // namespace

std::int64_t Layout::elements() const {
    std::int64_t product = 1;
    for (const auto extent : desc.dims()) product *= extent;
    return product;
}

bool Layout::is_plain() const {
    return !columns && text_of(desc) == text_of(plain(desc));
}

std::string Layout::text() const {
    return text_of(desc) + (columns ? " columns " + text_of(*columns) : "");
}

Desc plain(const dnnl::memory::dims& dims, DataType type) {
    static constexpr std::array<Tag, 5> tags{Tag::a, Tag::ab, Tag::abc, Tag::abcd, Tag::abcde};
    if (dims.empty() || dims.size() > tags.size()) throw InternalError("a tensor of more than five axes");
    return {dims, type, tags.at(dims.size() - 1)};
}

Desc plain(const Shape& shape, DataType type) {
    return shape.rank() == 0 ? plain(dnnl::memory::dims{1}, type)
                             : plain(dnnl::memory::dims(shape.begin(), shape.end()), type);
}

Desc plain(const Desc& desc) {
    return plain(desc.dims(), desc.data_type());
}

Desc retyped(const Desc& desc, DataType type) {
    auto other = desc;
    other.data.data_type = dnnl::memory::convert_to_c(type);
    return other;
}

std::optional<ChannelOrder> channel_order(const Desc& desc) {
    const auto dims = desc.dims();
    if (dims.size() == 2 && plain(desc) == desc) {
        return ChannelOrder{.examples = dims[0], .channels = dims[1], .area = 1, .block = dims[1]};
    }
    const auto known = known_order(desc);
    if (!known) return std::nullopt;
    return ChannelOrder{
        .examples = dims[0], .channels = dims[1], .area = dims[2] * dims[3], .block = known->block};
}

std::optional<Desc> flat_rows(const Desc& desc) {
    const auto order = channel_order(desc);
    if (!order || order->stored_per_example() != order->channels * order->area) return std::nullopt;
    return plain(dnnl::memory::dims{order->examples, order->stored_per_example()}, desc.data_type());
}

Desc rows_like(const Desc& activation, const Shape& shape) {
    const auto known = known_order(activation);
    if (!known) throw InternalError("rows like those of an activation that is not N,C,H,W");
    return {dnnl::memory::dims(shape.begin(), shape.end()), activation.data_type(), known->tag};
}

Desc rows_like(const Desc& activation, std::int64_t rows) {
    auto extents = activation.dims();
    extents.at(0) = rows;
    return rows_like(activation, Shape(extents));
}

}  // namespace convoy::onednn
