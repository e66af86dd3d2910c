#pragma once

#include <cstdint>

#include "spec/model_spec.hpp"

namespace convoy {

/// Networks in the form of two case studies of Aspri ("Distributed deep learning for astrophysical and remote
/// sensing data", University of Crete, 2019).

/// Redshift of a galaxy from its spectrum, as a class of z: a sequence of 1780 values; three times 16 filters
/// of width 8 with ReLU, max pooling of 3 with stride 2 (both with same padding) and batch normalisation;
/// then dropout, 512 linear units with an L2 penalty of 0.2, dropout and the classes. With 800 classes
/// 2,242,192 parameters, moving statistics included, as Keras counts them.
ModelSpec redshift(std::int64_t classes);

/// Land cover of a pixel, one of `classes`: a branch for its spectrum (`hyperspectral`, 1x1x144) and one for
/// the LiDAR patches around it (`lidar`, 21x7x7), two convolutions and a pooling in each, joined by dense
/// layers. With 15 classes 6,293,007 parameters. The thesis gives no layers; these are ours.
ModelSpec landcover(std::int64_t classes);

}  // namespace convoy
