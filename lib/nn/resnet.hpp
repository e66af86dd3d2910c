#pragma once

#include <cstdint>

#include "spec/model_spec.hpp"

namespace convoy {

/// The residual networks of Keras' cifar10_resnet example, for images 3x32x32 and ten classes. Every
/// convolution has a bias, same padding, He normal kernels and an L2 penalty of 1e-4. Batch normalisation has
/// Keras' defaults.

/// Two convolutions in a block, n blocks of each width; depth 6n + 2. He et al., CVPR 2016, section 4.2.
ModelSpec resnet_v1(std::int64_t depth);

/// Blocks of three convolutions (bottlenecks), with a normalisation before each; depth 9n + 2. He et al.,
/// ECCV 2016, figure 4(e). Depth 56 has 58 convolutions and 1,673,738 parameters, of which 1,663,338 are
/// trained.
ModelSpec resnet_v2(std::int64_t depth);

}  // namespace convoy
