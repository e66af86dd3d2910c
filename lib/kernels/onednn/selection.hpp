#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernels/onednn/layout.hpp"

namespace convoy::onednn {

/// Channels that oneDNN computes together with AVX2.
inline constexpr std::int64_t avx2_block = 8;

/// A window's two extents, as oneDNN takes them.
inline dnnl::memory::dims dims_of(const std::array<std::int64_t, 2>& extents) {
    return {extents[0], extents[1]};
}

/// `any`: the implementation chooses the format.
inline Desc any_format(const Desc& desc) {
    return {desc.dims(), desc.data_type(), dnnl::memory::format_tag::any};
}

/// The primitive descriptor of make(), or nothing if oneDNN has no fast implementation for it.
template <typename Make>
auto fast_implementation(const Make& make) -> std::optional<decltype(make())> {
    try {
        auto pd = make();
        if (std::string_view(pd.impl_info_str()).find("ref") == std::string_view::npos) return pd;
    } catch (const dnnl::error& error) {
        if (error.status != dnnl_unimplemented && error.status != dnnl_invalid_arguments) throw;
    }
    return std::nullopt;
}

}  // namespace convoy::onednn
