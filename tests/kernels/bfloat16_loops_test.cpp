#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <limits>

#include "base/bfloat16.hpp"
#include "kernels/comparison.hpp"
#include "kernels/onednn/batch_norm_loops.hpp"
#include "kernels/onednn/stored_vector.hpp"
#include "kernels/steps.hpp"

/// Batch normalisation over stored bfloat16 values against the same loops over float32 ones, from the same
/// values: sums and statistics are of float32 in both, so that only what is stored is rounded.
using namespace convoy;
using namespace convoy::test;
using namespace convoy::onednn;

namespace {

/// What remains where the compiler adds and multiplies in another order.
constexpr double float_rounding = 1e-5;

std::vector<Bfloat16> stored(const std::vector<float>& values) {
    std::vector<Bfloat16> result;
    for (const auto value : values) result.push_back(to_bfloat16(value));
    return result;
}

std::vector<float> floats(const std::vector<Bfloat16>& values) {
    std::vector<float> result;
    for (const auto value : values) result.push_back(to_float(value));
    return result;
}

/// Operands of one normalisation over values stored as T, and what comes out.
template <typename T>
struct Normalisation {
    std::vector<T> x, dy, addend;
    std::vector<T> y = {}, dx = {};
    std::vector<float> mean = {}, variance = {}, moving_mean = {}, moving_variance = {};
    std::vector<float> dgamma = {}, dbeta = {};

    void run(const ChannelOrder& order, bool relu, bool adds) {
        const auto channels = static_cast<std::size_t>(order.channels);
        const auto gamma = random_values(order.channels, 11);
        const auto beta = random_values(order.channels, 12);
        const BatchNormAttributes attributes{.relu = relu};
        std::vector<float> scratch(static_cast<std::size_t>(loops::batch_norm_scratch(order)));
        y.resize(x.size());
        dx.resize(x.size());
        for (auto* values : {&mean, &variance, &moving_mean, &moving_variance, &dgamma, &dbeta})
            values->assign(channels, 0.5F);
        loops::batch_norm(order, attributes,
                          loops::BatchNormForward<T>{x, gamma, beta, y, mean, variance, moving_mean,
                                                     moving_variance, scratch});
        const auto other = adds ? std::span<const T>(addend) : std::span<const T>();
        loops::batch_norm_gradient(order, attributes,
                                   loops::BatchNormBackward<T>{x, dy, gamma, beta, mean, variance, other, dx,
                                                               dgamma, dbeta, scratch});
    }
};

void compare(const ChannelOrder& order, bool relu, bool adds) {
    const auto count = order.examples * order.stored_per_example();
    Normalisation<Bfloat16> found{.x = stored(random_values(count, 1)),
                                  .dy = stored(random_values(count, 2)),
                                  .addend = stored(random_values(count, 3))};
    Normalisation<float> expected{
        .x = floats(found.x), .dy = floats(found.dy), .addend = floats(found.addend)};
    found.run(order, relu, adds);
    expected.run(order, relu, adds);
    CHECK(relative_difference(found.mean, expected.mean) <= float_rounding);
    CHECK(relative_difference(found.variance, expected.variance) <= float_rounding);
    CHECK(relative_difference(found.moving_mean, expected.moving_mean) <= float_rounding);
    CHECK(relative_difference(found.moving_variance, expected.moving_variance) <= float_rounding);
    CHECK(relative_difference(found.dgamma, expected.dgamma) <= float_rounding);
    CHECK(relative_difference(found.dbeta, expected.dbeta) <= float_rounding);
    CHECK(relative_difference(floats(found.y), expected.y) <= bfloat16_rounding);
    CHECK(relative_difference(floats(found.dx), expected.dx) <= bfloat16_rounding);
    CHECK(floats(found.y) != expected.y);
}

}  // namespace

TEST_CASE("bfloat16: batch normalisation rounds what it stores and nothing else") {
    // Whole registers, halves of them, single channels, and channels that end within a block.
    for (const auto& [channels, block] : {std::pair{32, 16}, {40, 8}, {5, 1}, {37, 16}, {27, 27}}) {
        const ChannelOrder order{.examples = 3, .channels = channels, .area = 35, .block = block};
        for (const bool relu : {false, true}) {
            for (const bool adds : {false, true}) {
                INFO(channels << " channels by " << block << (relu ? ", ReLU" : "")
                              << (adds ? ", with an addend" : ""));
                compare(order, relu, adds);
            }
        }
    }
}

TEST_CASE("vectors round as single values do, to the even of two neighbours, and keep what is not finite") {
    const std::array<float, 16> values{0.0F,
                                       -0.0F,
                                       1.0F,
                                       -1.0F / 3.0F,
                                       0x1.01p0F,
                                       0x1.03p0F,
                                       0x1.0101p0F,
                                       0x1.FFp0F,
                                       0x1.FFFFFEp127F,
                                       -0x1.FFFFFEp127F,
                                       0x1.0p-126F,
                                       1e30F,
                                       std::numeric_limits<float>::infinity(),
                                       -std::numeric_limits<float>::infinity(),
                                       3.14159F,
                                       std::numeric_limits<float>::quiet_NaN()};
    CHECK(to_float(to_bfloat16(0x1.01p0F)) == 1.0F);
    CHECK(to_float(to_bfloat16(0x1.03p0F)) == 0x1.04p0F);
    const auto check = [&]<std::size_t Lanes>(std::integral_constant<std::size_t, Lanes>) {
        for (std::size_t first = 0; first < values.size(); first += Lanes) {
            typename VectorTypes<Lanes>::Floats vector;
            std::array<Bfloat16, Lanes> stored;
            load<Lanes>(values.data() + first, vector);
            store<Lanes>(vector, stored.data());
            load<Lanes>(stored.data(), vector);
            for (std::size_t i = 0; i < Lanes; ++i) {
                INFO(values[first + i]);
                CHECK(stored[i].bits == to_bfloat16(values[first + i]).bits);
                const float back = vector[i];
                CHECK(std::bit_cast<std::uint32_t>(back) ==
                      std::bit_cast<std::uint32_t>(to_float(stored[i])));
            }
        }
    };
    check(std::integral_constant<std::size_t, 16>{});
    check(std::integral_constant<std::size_t, 8>{});
    check(std::integral_constant<std::size_t, 1>{});
}
