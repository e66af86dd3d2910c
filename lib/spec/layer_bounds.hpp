#pragma once

#include "spec/codecs.hpp"

/// Bounds of fields that layers and named models share. Included only by the sources of lib/spec.
namespace convoy {

/// Channels of a convolution, units of a dense layer.
inline constexpr Integer width{1, 1 << 20};
/// The extents and strides of windows.
inline constexpr Integer window{1, 1024};
inline constexpr Number batch_norm_momentum{0.0, 1.0, Number::Without::high};

}  // namespace convoy
