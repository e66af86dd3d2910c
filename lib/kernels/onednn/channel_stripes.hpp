#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "base/cpu_versions.hpp"
#include "kernels/onednn/layout.hpp"
#include "kernels/onednn/stored_vector.hpp"

/// Walks over activations in their memory layout, some channels at a time.
namespace convoy::onednn::loops {

/// The most lanes of a vector register.
inline constexpr std::size_t widest = 16;

/// Some channels that lie side by side: what a vector register holds of each pixel.
template <std::size_t Lanes>
struct Stripe {
    using Vector = typename VectorTypes<Lanes>::Floats;

    std::int64_t channel;         ///< the first
    std::int64_t valid;           ///< of its lanes; the others are padding
    std::int64_t start;           ///< of the first example's first pixel
    std::int64_t example_stride;  ///< values from one example to the next
    std::int64_t pixel_stride;
};

/// The operands of one stripe, as registers; lanes of padding hold 0.
template <std::size_t Lanes>
void load_channels(const Stripe<Lanes>& stripe, std::span<const float> values,
                   typename Stripe<Lanes>::Vector& into) {
    into = typename Stripe<Lanes>::Vector{};
    for (std::int64_t lane = 0; lane < stripe.valid; ++lane)
        into[lane] = values[static_cast<std::size_t>(stripe.channel + lane)];
}

/// Calls body(n) for every example, shared among the threads where there is enough to share.
template <typename Body>
void for_each_example(const ChannelOrder& order, const Body& body) {
    constexpr std::int64_t worth_sharing = 1 << 15;
#pragma omp parallel for schedule( \
    static) if (parallel           \
                : order.examples * order.area * static_cast <std::int64_t>(widest) >= worth_sharing)
    for (std::int64_t n = 0; n < order.examples; ++n) in_cpu_version([n, body] { body(n); });
}

/// Calls body(stripe) for the channels of all blocks.
template <typename Body>
void for_each_stripe(const ChannelOrder& order, const Body& body) {
    const auto example_stride = order.stored_per_example();
    for (std::int64_t block = 0; block < order.blocks(); ++block) {
        std::int64_t lane = 0;
        const auto next = [&]<std::size_t Lanes>(std::integral_constant<std::size_t, Lanes>) {
            constexpr auto width = static_cast<std::int64_t>(Lanes);
            for (; lane + width <= order.block; lane += width) {
                const auto channel = block * order.block + lane;
                body(Stripe<Lanes>{.channel = channel,
                                   .valid = std::clamp<std::int64_t>(order.channels - channel, 0, width),
                                   .start = block * order.area * order.block + lane,
                                   .example_stride = example_stride,
                                   .pixel_stride = order.block});
            }
        };
        next(std::integral_constant<std::size_t, widest>{});
        next(std::integral_constant<std::size_t, widest / 2>{});
        next(std::integral_constant<std::size_t, 1>{});
    }
}

/// Adds up, for every example, two functions of its pixels: use(position, first, second) adds to two
/// registers. Several pairs of them take turns, so that additions need not wait for each other. The examples'
/// sums are added in their order, in double precision.
template <std::size_t Lanes, typename Use>
void sum_pixels(const ChannelOrder& order, const Stripe<Lanes>& stripe, std::span<float> scratch,
                const Use& use, std::array<double, Lanes>& first, std::array<double, Lanes>& second) {
    using Vector = typename Stripe<Lanes>::Vector;
    for_each_example(order, [&](std::int64_t n) {
        constexpr std::int64_t turns = 4;
        Vector firsts[turns] = {};   // NOLINT(modernize-avoid-c-arrays): of registers
        Vector seconds[turns] = {};  // NOLINT(modernize-avoid-c-arrays)
        const auto base = stripe.start + n * stripe.example_stride;
        std::int64_t p = 0;
        for (; p + turns <= order.area; p += turns) {
            for (std::int64_t turn = 0; turn < turns; ++turn)
                use(base + (p + turn) * stripe.pixel_stride, firsts[turn], seconds[turn]);
        }
        for (; p < order.area; ++p) use(base + p * stripe.pixel_stride, firsts[0], seconds[0]);
        const Vector totals[2] = {(firsts[0] + firsts[1]) + (firsts[2] + firsts[3]),       // NOLINT
                                  (seconds[0] + seconds[1]) + (seconds[2] + seconds[3])};  // NOLINT
        std::memcpy(&scratch[static_cast<std::size_t>(n) * 2 * Lanes], totals, sizeof(totals));
    });
    first.fill(0.0);
    second.fill(0.0);
    for (std::int64_t n = 0; n < order.examples; ++n) {
        for (std::size_t lane = 0; lane < Lanes; ++lane) {
            const auto at = static_cast<std::size_t>(n) * 2 * Lanes + lane;
            first[lane] += static_cast<double>(scratch[at]);
            second[lane] += static_cast<double>(scratch[at + Lanes]);
        }
    }
}

}  // namespace convoy::onednn::loops
