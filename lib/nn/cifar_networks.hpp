#pragma once

#include "spec/model_spec.hpp"

namespace convoy {

/// Networks without branches, for images 3x32x32 and ten classes. A ReLU is behind every convolution, or
/// behind its batch normalisation. Kernels of convolutions start from He's normal values.

/// AlexNet in the form for CIFAR of bearpaw/pytorch-classification: five convolutions and one dense layer,
/// 2,472,266 parameters (published: 2.47 million). The original pads the first convolution by 5 pixels on
/// each side, and same padding by 3 and 4; both give 8 x 8 results. Krizhevsky, "One weird trick for
/// parallelizing convolutional neural networks", arXiv:1404.5997, 2014.
ModelSpec alexnet_cifar();

/// VGG in the form for CIFAR of kuangliu/pytorch-cifar: convolutions of 3 x 3 with a bias and batch
/// normalisation, and one dense layer of 512 x 10. Batch normalisation has PyTorch's momentum and epsilon.
/// Configurations A (8 convolutions, 9,231,114 trained parameters) and D (13 convolutions, 14,728,266 trained
/// parameters) of Simonyan and Zisserman, ICLR 2015.
ModelSpec vgg11();
ModelSpec vgg16();

/// MobileNet in the form for CIFAR of kuangliu/pytorch-cifar: a convolution of 3 x 3 and 13 pairs of a
/// depthwise convolution of 3 x 3 and a pointwise one, none with a bias, each with batch normalisation;
/// 3,217,226 trained parameters, 4,231,976 with the 1000 classes of the original. The first convolution has
/// stride 1, since images are small. Batch normalisation as in VGG. Howard et al., arXiv:1704.04861, 2017,
/// table 1.
ModelSpec mobilenet_v1();

}  // namespace convoy
