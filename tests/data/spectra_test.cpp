#include "data/spectra.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"

using namespace convoy;

namespace {

using Values = std::vector<float>;

Values drawn(std::optional<double> signal_to_noise, std::uint64_t seed, SpectraSplit split,
             std::uint32_t example) {
    static const auto templates = analytic_templates();
    Values values(spectrum_bins);
    draw_spectrum(templates, signal_to_noise, seed, split, example, values);
    return values;
}

Values spectrum_at(const Dataset& dataset, std::uint32_t index) {
    Values values(spectrum_bins);
    dataset.read(index, values);
    return values;
}

DatasetSpec spec_of(std::int64_t train, std::int64_t test) {
    DatasetSpec spec{.name = "spectra", .train_examples = train, .test_examples = test};
    spec.spectra = SpectraSpec{.signal_to_noise = 5.0};
    return spec;
}

/// A spectrum that NumPy drew (make_spectra.py).
struct Golden {
    std::uint64_t seed;
    std::uint32_t split, example;
    double signal_to_noise;  // 0: no noise
    double redshift;
    std::int32_t label;  // of 80
    std::array<double, 6> values;
};
constexpr std::array<std::size_t, 6> golden_bins{0, 1, 444, 889, 1234, 1779};
const std::vector<Golden> golden{
#include "data/spectra_golden.inc"
};

}  // namespace

TEST_CASE("drawn spectra are those that NumPy draws") {
    for (const auto& each : golden) {
        const auto split = static_cast<SpectraSplit>(each.split);
        INFO("seed " << each.seed << ", example " << each.example);
        CHECK(spectrum_redshift(each.seed, split, each.example) == Approx(each.redshift).epsilon(1e-15));
        CHECK(spectrum_label(each.seed, split, each.example, 80) == each.label);
        const auto noise =
            each.signal_to_noise > 0.0 ? std::optional(each.signal_to_noise) : std::optional<double>();
        const auto values = drawn(noise, each.seed, split, each.example);
        for (std::size_t i = 0; i < golden_bins.size(); ++i)
            CHECK(static_cast<double>(values[golden_bins[i]]) == Approx(each.values[i]).margin(2e-6));
    }
}

TEST_CASE("a spectrum depends on seed, split and number, and on nothing else") {
    const auto values = drawn(3.0, 1, SpectraSplit::train, 5);
    CHECK(values == drawn(3.0, 1, SpectraSplit::train, 5));
    CHECK(values != drawn(3.0, 2, SpectraSplit::train, 5));
    CHECK(values != drawn(3.0, 1, SpectraSplit::test, 5));
    CHECK(values != drawn(3.0, 1, SpectraSplit::train, 6));
    CHECK(values != drawn({}, 1, SpectraSplit::train, 5));
}

TEST_CASE("labels are equal bins of the redshift") {
    constexpr std::uint32_t examples = 20000;
    for (const std::int64_t classes : {80, 800}) {
        const auto scale = redshift_scale(classes);
        CHECK(scale.width == Approx(0.8 / static_cast<double>(classes)));
        std::vector<int> counts(static_cast<std::size_t>(classes));
        for (std::uint32_t i = 0; i < examples; ++i) {
            const auto z = spectrum_redshift(3, SpectraSplit::train, i);
            const auto label = spectrum_label(3, SpectraSplit::train, i, classes);
            REQUIRE(z >= scale.centre(label) - scale.width / 2 - 1e-12);
            REQUIRE(z <= scale.centre(label) + scale.width / 2 + 1e-12);
            ++counts.at(static_cast<std::size_t>(label));
        }
        // Five standard deviations about the mean.
        const auto mean = examples / static_cast<double>(classes);
        for (const auto count : counts) REQUIRE(std::abs(count - mean) < 5 * std::sqrt(mean));
    }
}

TEST_CASE("a spectrum has a mean of 0 and a standard deviation of 1, whatever its noise") {
    for (const auto noise : {std::optional<double>(), std::optional(3.0)}) {
        const auto values = drawn(noise, 1, SpectraSplit::test, 9);
        const auto sum = std::accumulate(values.begin(), values.end(), 0.0);
        const auto squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
        CHECK(sum / spectrum_bins == Approx(0.0).margin(1e-6));
        CHECK(squares / spectrum_bins == Approx(1.0).margin(1e-5));
    }
}

TEST_CASE("noise has the deviation that the signal-to-noise ratio asks for") {
    // A flat spectrum of 7 with a step of 1e-3: nearly all of its change is noise, and its median is 7.
    SpectrumTemplates flat{.wavelengths = {3900.0, 10000.0}, .flux = {7.0F, 7.001F}};
    Values values(spectrum_bins);
    // Neighbours have independent noise, so differences have sqrt(2) of its deviation; after standardising,
    // the deviation is 1 whatever it was before. So it is compared with a line of known height.
    SpectrumTemplates line{.wavelengths = {3900.0, 6950.0, 6951.0, 10000.0},
                           .flux = {6.0F, 6.0F, 8.0F, 8.0F}};
    draw_spectrum(line, 4.0, 1, SpectraSplit::train, 0, values);
    const auto z = spectrum_redshift(1, SpectraSplit::train, 0);
    double sums[2] = {}, squares[2] = {}, counts[2] = {};
    for (std::int64_t bin = 0; bin < spectrum_bins; ++bin) {
        const auto wavelength = (first_bin + bin_step * static_cast<double>(bin)) / (1 + z);
        const auto side = wavelength < 6950.0 ? 0 : 1;
        const auto value = static_cast<double>(values[static_cast<std::size_t>(bin)]);
        sums[side] += value;
        squares[side] += value * value;
        counts[side] += 1;
    }
    REQUIRE(counts[0] > 200);
    REQUIRE(counts[1] > 200);
    const auto mean = [&](int side) { return sums[side] / counts[side]; };
    const auto deviation = std::sqrt(squares[0] / counts[0] - mean(0) * mean(0));
    // The step is 2, the median 6 or 8, so the deviation of the noise is 1.5 or 2.
    const auto median = counts[0] > counts[1] ? 6.0 : 8.0;
    CHECK(deviation / (mean(1) - mean(0)) == Approx(median / 4.0 / 2.0).epsilon(0.12));
    draw_spectrum(flat, {}, 1, SpectraSplit::train, 0, values);
    CHECK(values.front() < -1.5F);
    CHECK(values.back() > 1.5F);
}

TEST_CASE("every rank reads the same spectra, cached or not, in whole or in part") {
    const auto cached = load_dataset(spec_of(20, 6), "/nowhere", 11, true);
    const auto anew = load_dataset(spec_of(20, 6), "/nowhere", 11, false);
    const auto more = load_dataset(spec_of(50, 9), "/nowhere", 11, false);
    CHECK(cached.train.example_shape() == ExampleShape{1, 1, spectrum_bins});
    CHECK(cached.train.classes() == 80);
    for (const std::uint32_t i : {0U, 7U, 19U}) {
        CHECK(spectrum_at(cached.train, i) == spectrum_at(anew.train, i));
        CHECK(spectrum_at(cached.train, i) == spectrum_at(more.train, i));
        CHECK(spectrum_at(cached.train, i) == drawn(5.0, 11, SpectraSplit::train, i));
        CHECK(cached.train.labels()[i] == more.train.labels()[i]);
    }
    CHECK(spectrum_at(cached.test, 5) == drawn(5.0, 11, SpectraSplit::test, 5));
    auto seeded = spec_of(20, 6);
    seeded.spectra->seed = 11;
    CHECK(spectrum_at(load_dataset(seeded, "/nowhere", 99, true).train, 3) == spectrum_at(cached.train, 3));
}

TEST_CASE("redshifts go with their examples, and without them a label's centre stands in") {
    auto spec = spec_of(20, 6);
    spec.validation_fraction = 0.25;
    const auto splits = load_dataset(spec, "/nowhere", 2, false);
    REQUIRE(splits.validation);
    CHECK(splits.validation->quantity(1) == spectrum_redshift(2, SpectraSplit::train, 16));
    CHECK(splits.train.select({9, 4}).quantity(1) == spectrum_redshift(2, SpectraSplit::train, 4));
    CHECK(splits.test.slice(2, 3).select({1}).quantity(0) == spectrum_redshift(2, SpectraSplit::test, 3));
    const Dataset plain({1, 1, 1}, 80, {5, 79}, nullptr);
    CHECK_FALSE(plain.label_scale());
    CHECK_THROWS_AS(plain.quantity(0), InternalError);
    CHECK(plain.with_scale(redshift_scale(80)).quantity(1) == Approx(1.795));
    CHECK_THROWS_AS(plain.with_scale(redshift_scale(80), {1.0}), InternalError);
}
