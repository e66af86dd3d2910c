#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"

namespace convoy::test {

/// Images of 1x28x28 random bytes in ten classes, as NPY files in a folder of their own; beside them, for a
/// second input, curves of 40 random bytes (curve.npy, test_curve.npy), and images of 3x32x32 (colour.npy,
/// test_colour.npy). Real and drawn digits have backgrounds of one value: a ReLU over a background may come
/// to stand at 0 for all pixels at once, and from there on rounding alone decides. Noise has no such pixels,
/// so losses of two ways to train may be compared.
class NoiseImages {
  public:
    NoiseImages(std::int64_t train, std::int64_t test);
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }
    /// The `dataset` of a spec, for runs whose data folder is folder().
    [[nodiscard]] static nlohmann::json dataset();

  private:
    convoy::TemporaryFolder folder_;
};

}  // namespace convoy::test
