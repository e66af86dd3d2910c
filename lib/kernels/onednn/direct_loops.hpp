#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/operator.hpp"
#include "kernels/onednn/layout.hpp"
#include "kernels/onednn/parts.hpp"

/// A convolution and its gradients by sums over their own operands, for any number of channels: no matrix of
/// windows is made. A product has six rows and sixteen columns, as many as AVX2's registers hold; the columns
/// are channels, and the last sixteen of them are filled up. Every value is a sum in one order, whatever the
/// number of threads. A result and the gradient of a source have the same bits beside any other examples.
/// Georganas et al., "Anatomy of high-performance deep learning convolutions on SIMD architectures", SC 2018,
/// has the theory.
namespace convoy::onednn::direct {

/// An activation N,C,H,W.
struct Maps {
    ChannelOrder order;
    std::int64_t rows = 0;
    std::int64_t columns = 0;

    /// The place of a channel's first value; the next one is order.block behind it.
    [[nodiscard]] std::int64_t plane(std::int64_t example, std::int64_t channel) const {
        return example * order.stored_per_example() + channel / order.block * order.area * order.block +
               channel % order.block;
    }
};

/// A convolution with one group. The padding is smaller than the kernel.
struct Geometry {
    WindowAttributes window;
    Maps source, result;

    /// The values of a kernel for one channel.
    [[nodiscard]] std::int64_t taps() const { return window.size[0] * window.size[1]; }
    /// The rows and columns of a source, with its padding, that windows of so many rows and columns of the
    /// result meet.
    [[nodiscard]] std::int64_t met_rows(std::int64_t rows) const {
        return (rows - 1) * window.stride[0] + window.size[0];
    }
    [[nodiscard]] std::int64_t met_columns() const {
        return (result.columns - 1) * window.stride[1] + window.size[1];
    }
};

/// The convolution itself, with ReLU behind it if the window has it. ReLU leaves NaN as it is.
class Forward {
  public:
    struct Operands {
        std::span<const float> source;
        std::span<const float> weight;  ///< O,C,H,W
        std::span<const float> bias;    ///< by kernel, or empty
        std::span<float> result;
        std::span<float> scratch;  ///< scratch_floats
    };

    Forward(const Geometry& geometry, int threads);
    [[nodiscard]] std::int64_t scratch_floats() const;
    /// Allocates no memory.
    void run(const Operands& operands) const;

  private:
    void copy_source(const Operands& operands, Part examples) const;
    void compute(const Operands& operands, Part examples) const;
    void write(const Operands& operands, Part examples, std::int64_t first_channel, Part results,
               float* sums) const;

    Geometry geometry_;
    int threads_;
    Parts rounds_;         ///< of examples
    Parts channel_parts_;  ///< each is added to the sums at once
    std::vector<std::int64_t>
        windows_;                     ///< by result of a round: the place of its window in the copied source
    std::vector<std::int64_t> taps_;  ///< by tap of all channels: its place in a window
};

/// The gradient of the kernels.
class FilterGradient {
  public:
    struct Operands {
        std::span<const float> source, result_gradient;
        std::span<float> gradient;  ///< O,C,H,W
        std::span<float> scratch;   ///< scratch_floats
    };

    FilterGradient(const Geometry& geometry, int threads);
    [[nodiscard]] std::int64_t scratch_floats() const;
    /// Allocates no memory.
    void run(const Operands& operands) const;

  private:
    Geometry geometry_;
    int threads_;
    Parts example_parts_, row_parts_;  ///< a band has the results of some rows of some examples
};

/// The gradient of the source.
class InputGradient {
  public:
    struct Operands {
        std::span<const float> weight;  ///< O,C,H,W
        std::span<const float> result_gradient;
        std::span<float> gradient;
        std::span<float> scratch;  ///< scratch_floats
    };

    InputGradient(const Geometry& geometry, int threads);
    [[nodiscard]] std::int64_t scratch_floats() const;
    /// Allocates no memory.
    void run(const Operands& operands) const;

  private:
    void copy_gradients(const Operands& operands, Part band) const;
    void compute(const Operands& operands, Part band) const;
    [[nodiscard]] Parts groups(Part band) const;
    [[nodiscard]] std::int64_t copied_floats() const;

    Geometry geometry_;
    int threads_;
    std::int64_t wanted_groups_;      ///< of a band's examples
    Parts bands_;                     ///< of examples
    Parts kernel_parts_;              ///< each is one sum
    std::int64_t examples_of_group_;  ///< of the largest group
    std::vector<std::int64_t>
        windows_;  ///< by result of a group: the place of its window in the padded source
};

}  // namespace convoy::onednn::direct
