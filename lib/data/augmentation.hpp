#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/experiment_spec.hpp"
#include "tensor/example_shape.hpp"

namespace convoy {

/// Varies the images of training: a function of (seed, epoch, example) alone, so that an image is varied
/// alike on whichever node it is trained. All images of one example move and are mirrored alike, as they show
/// one place; of several inputs those of one row, such as measurements, are left alone.
class Augmentation {
  public:
    Augmentation(const AugmentationSpec& spec, std::uint64_t seed, const ExampleShape& shape);

    /// Shifts and mirrors the images of one example in place. epoch is counted from 0.
    void apply(std::uint32_t epoch, std::uint32_t example, std::span<float> values);

  private:
    AugmentationSpec spec_;
    std::uint64_t seed_;
    struct Image {
        std::size_t first;  ///< value of the example
        Shape shape;
    };
    std::vector<Image> images_;  ///< none where nothing is varied
    std::vector<float> original_;
};

}  // namespace convoy
