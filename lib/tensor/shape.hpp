#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/checked.hpp"

namespace convoy {

/// Extents of a tensor, outermost first. Images are N, C, H, W; convolution kernels O, I, H, W; dense weights
/// out, in.
class Shape {
  public:
    Shape() = default;
    Shape(std::initializer_list<std::int64_t> extents) : extents_(extents) {}
    explicit Shape(std::vector<std::int64_t> extents) : extents_(std::move(extents)) {}

    [[nodiscard]] std::size_t rank() const { return extents_.size(); }
    [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return extents_.at(axis); }
    [[nodiscard]] const std::vector<std::int64_t>& extents() const { return extents_; }
    [[nodiscard]] auto begin() const { return extents_.begin(); }
    [[nodiscard]] auto end() const { return extents_.end(); }

    /// Product of the extents; 1 for a scalar. Throws SizeError if it does not fit 64 bits.
    [[nodiscard]] std::int64_t elements() const {
        Checked product = 1;
        for (const auto extent : extents_) product *= extent;
        return product.value();
    }

    /// This shape with one more outermost axis.
    [[nodiscard]] Shape with_batch(std::int64_t batch) const {
        std::vector<std::int64_t> extents{batch};
        extents.insert(extents.end(), extents_.begin(), extents_.end());
        return Shape(std::move(extents));
    }

    /// This shape without its outermost axis. The shape must have an axis.
    [[nodiscard]] Shape without_batch() const {
        return Shape(std::vector<std::int64_t>(extents_.begin() + 1, extents_.end()));
    }

    /// The shape as text: "32x1x28x28", or "scalar" if there is no axis.
    [[nodiscard]] std::string text() const {
        if (extents_.empty()) return "scalar";
        std::string joined;
        for (const auto extent : extents_) {
            if (!joined.empty()) joined += 'x';
            joined += std::to_string(extent);
        }
        return joined;
    }

    bool operator==(const Shape&) const = default;

  private:
    std::vector<std::int64_t> extents_;
};

}  // namespace convoy
