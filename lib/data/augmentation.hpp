#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/experiment_spec.hpp"
#include "tensor/example_shape.hpp"

namespace convoy {

/// Shifts and mirrors training images at random. The change is a function of seed, epoch and example, so it
/// does not depend on the node. All images of one example change in the same way, since they show one place.
/// Inputs that are not images (of one row, such as measurements) do not change.
class Augmentation {
  public:
    Augmentation(const AugmentationSpec& spec, std::uint64_t seed, const ExampleShape& shape);

    /// Shifts and mirrors the images of one example in place. epoch: counted from 0. values: all inputs of
    /// the example.
    void apply(std::uint32_t epoch, std::uint32_t example, std::span<float> values);

  private:
    AugmentationSpec spec_;
    std::uint64_t seed_;
    struct Image {
        std::size_t first;  ///< index of the image's first value in the example
        Shape shape;
    };
    std::vector<Image> images_;  ///< empty if nothing is changed
    std::vector<float> original_;
};

}  // namespace convoy
