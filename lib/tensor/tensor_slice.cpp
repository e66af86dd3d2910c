#include "tensor/tensor_slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"

namespace convoy {
namespace {

void require_fit(const TensorSlice& slice, const Shape& whole) {
    if (fits(slice, whole)) return;
    throw InternalError(fmt::format("a slice of {} from {} on along axis {} of a tensor of {}", slice.count,
                                    slice.first, slice.axis, whole.text()));
}

std::size_t product(std::span<const std::int64_t> extents) {
    return static_cast<std::size_t>(
        Shape(std::vector<std::int64_t>(extents.begin(), extents.end())).elements());
}

}  // namespace

TensorSlice whole_slice(const Shape& whole) {
    return {.axis = 0, .first = 0, .count = whole.rank() == 0 ? 1 : whole[0]};
}

bool fits(const TensorSlice& slice, const Shape& whole) {
    if (slice == whole_slice(whole)) return true;  // also of a tensor without elements
    if (whole.rank() == 0) return false;
    if (slice.axis >= whole.rank() || slice.first < 0 || slice.count < 1) return false;
    const auto extent = whole[slice.axis];
    return slice.count <= extent && slice.first <= extent - slice.count;
}

bool is_whole(const TensorSlice& slice, const Shape& whole) {
    return slice_shape(slice, whole) == whole;
}

Shape slice_shape(const TensorSlice& slice, const Shape& whole) {
    require_fit(slice, whole);
    auto extents = whole.extents();
    if (!extents.empty()) extents[slice.axis] = slice.count;
    return Shape(std::move(extents));
}

std::vector<SliceRun> slice_runs(const TensorSlice& slice, const Shape& whole) {
    require_fit(slice, whole);
    if (whole.rank() == 0) return {{0, 0, 1}};
    const std::span extents(whole.extents());
    const auto outer = product(extents.first(slice.axis));
    const auto inner = product(extents.subspan(slice.axis + 1));
    const auto run = static_cast<std::size_t>(slice.count) * inner;
    const auto stride = static_cast<std::size_t>(whole[slice.axis]) * inner;
    const auto before = static_cast<std::size_t>(slice.first) * inner;
    std::vector<SliceRun> runs;
    runs.reserve(outer);
    for (std::size_t i = 0; i < outer; ++i) runs.push_back({i * run, i * stride + before, run});
    return runs;
}

std::vector<float> cut_slice(std::span<const float> values, const TensorSlice& slice, const Shape& whole) {
    if (values.size() != product(whole.extents()))
        throw InternalError(fmt::format("{} values of a tensor of {}", values.size(), whole.text()));
    std::vector<float> part;
    part.reserve(static_cast<std::size_t>(slice_shape(slice, whole).elements()));
    for (const auto& run : slice_runs(slice, whole))
        std::ranges::copy(values.subspan(run.in_whole, run.elements), std::back_inserter(part));
    return part;
}

}  // namespace convoy
