#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace convoy {

/// The purpose of a random number. Numbers for different purposes are independent.
enum class RandomPurpose : std::uint32_t {
    initial_weights = 1,
    shuffle = 2,
    dropout = 3,
    synthetic_data = 4,
    augmentation = 5,
    split = 6,
    resample = 7,
    order = 8,
    parts = 9,
    spectra = 10,
    landcover = 11,
    faults = 12
};

/// Philox2x32-10, a counter-based generator. The output is a pure function of counter and key, so numbers can
/// be drawn in any order, on any rank and for any memory format. Salmon, Moraes, Dror, Shaw: "Parallel random
/// numbers: as easy as 1, 2, 3", SC 2011.
constexpr std::array<std::uint32_t, 2> philox2x32(std::array<std::uint32_t, 2> counter, std::uint32_t key) {
    constexpr std::uint64_t multiplier = 0xD256D193U;
    constexpr std::uint32_t weyl = 0x9E3779B9U;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product = multiplier * counter[0];
        counter = {static_cast<std::uint32_t>(product >> 32) ^ key ^ counter[1],
                   static_cast<std::uint32_t>(product)};
        key += weyl;
    }
    return counter;
}

/// A stream of random numbers. Its name is (seed, purpose, layer, epoch); streams with different names are
/// different.
class RandomStream {
  public:
    /// layer: position of the layer in the network (0 if there is none). epoch: counted from 0.
    constexpr RandomStream(std::uint64_t seed, RandomPurpose purpose, std::uint32_t layer = 0,
                           std::uint32_t epoch = 0)
        : key_(fold(fold(fold(fold(0x243F6A88U, static_cast<std::uint32_t>(seed)),
                              static_cast<std::uint32_t>(seed >> 32)),
                         static_cast<std::uint32_t>(purpose)),
                    layer, epoch)) {}

    /// The key for kernels that evaluate philox2x32({element, example}, key)[0] themselves.
    [[nodiscard]] constexpr std::uint32_t key() const { return key_; }

    /// 32 uniform bits for one element of one example.
    [[nodiscard]] constexpr std::uint32_t bits(std::uint32_t example, std::uint32_t element) const {
        return philox2x32({element, example}, key_)[0];
    }

    /// Uniform in [0, 1). A multiple of 2^-24, so it has the same value in float and in double.
    [[nodiscard]] constexpr double uniform(std::uint32_t example, std::uint32_t element) const {
        return (bits(example, element) >> 8U) * 0x1.0p-24;
    }

    /// Uniform integer in [0, bound), bound > 0, by a multiply (bias below bound / 2^32).
    [[nodiscard]] constexpr std::uint32_t below(std::uint32_t bound, std::uint32_t example,
                                                std::uint32_t element) const {
        return static_cast<std::uint32_t>((std::uint64_t{bits(example, element)} * bound) >> 32U);
    }

  private:
    static constexpr std::uint32_t fold(std::uint32_t key, std::uint32_t a, std::uint32_t b = 0) {
        return philox2x32({a, b}, key)[0];
    }
    std::uint32_t key_;
};

}  // namespace convoy
