#pragma once

#include <type_traits>

#include "base/bfloat16.hpp"
#include "base/error.hpp"
#include "kernels/onednn/layout.hpp"

/// The hand-written loops are templates on the stored type of activations. All of them compute in float32.
namespace convoy::onednn {

using convoy::to_float;
inline float to_float(float value) {
    return value;
}

template <typename T>
T stored_as(float value) {
    if constexpr (std::is_same_v<T, Bfloat16>) {
        return to_bfloat16(value);
    } else {
        return value;
    }
}

/// Calls use(T()) with the C++ type T of values that are stored as `type`.
template <typename Use>
auto with_stored_type(DataType type, const Use& use) {
    switch (type) {
        case DataType::f32: return use(float());
        case DataType::bf16: return use(Bfloat16());
        default: throw InternalError("an activation that is neither float32 nor bfloat16");
    }
}

}  // namespace convoy::onednn
