#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/experiment_spec.hpp"
#include "tensor/shape.hpp"

namespace convoy {

/// Varies the images of training: a function of (seed, epoch, example) alone, so that an image is varied
/// alike on whichever node it is trained.
class Augmentation {
  public:
    /// image: C,H,W.
    Augmentation(const AugmentationSpec& spec, std::uint64_t seed, const Shape& image);

    /// Shifts and mirrors one image in place. epoch is counted from 0.
    void apply(std::uint32_t epoch, std::uint32_t example, std::span<float> image);

  private:
    AugmentationSpec spec_;
    std::uint64_t seed_;
    Shape shape_;
    std::vector<float> original_;
};

}  // namespace convoy
