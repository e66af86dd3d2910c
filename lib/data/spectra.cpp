#include "data/spectra.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace convoy {
namespace {

constexpr auto bins = static_cast<std::size_t>(spectrum_bins);
static_assert(bins % 2 == 0, "noise is drawn in pairs, and the median is between two values");
using Spectrum = std::array<double, bins>;

/// Elements of an example's random numbers: each use has a range of its own, so that none moves when another
/// grows.
enum SpectrumElement : std::uint32_t {
    spectrum_redshift_at = 0,
    spectrum_template_at = 1,
    spectrum_noise_at = 1024
};

RandomStream stream_of(std::uint64_t seed, SpectraSplit split) {
    return {seed, RandomPurpose::spectra, static_cast<std::uint32_t>(split)};
}

/// A template at the wavelengths at rest of all bins, between its values along straight lines.
Spectrum sampled(const SpectrumTemplates& templates, std::size_t which, double redshift) {
    const auto& at = templates.wavelengths;
    const auto flux = templates.of(which);
    Spectrum spectrum;
    std::size_t cell = 0;
    for (std::size_t bin = 0; bin < bins; ++bin) {
        const double wavelength = (first_bin + bin_step * static_cast<double>(bin)) / (1.0 + redshift);
        while (cell + 2 < at.size() && at[cell + 1] <= wavelength) ++cell;
        const double part = (wavelength - at[cell]) / (at[cell + 1] - at[cell]);
        spectrum[bin] =
            (1.0 - part) * static_cast<double>(flux[cell]) + part * static_cast<double>(flux[cell + 1]);
    }
    return spectrum;
}

double median_size(Spectrum values) {
    for (auto& value : values) value = std::abs(value);
    auto* const upper = values.begin() + bins / 2;
    std::nth_element(values.begin(), upper, values.end());
    return (*std::max_element(values.begin(), upper) + *upper) / 2.0;
}

/// By Box and Muller, a pair for two neighbours.
void add_noise(Spectrum& spectrum, double deviation, const RandomStream& random, std::uint32_t example) {
    for (std::size_t bin = 0; bin < bins; bin += 2) {
        const auto element = spectrum_noise_at + static_cast<std::uint32_t>(bin);
        const double radius = deviation * std::sqrt(-2.0 * std::log(1.0 - random.uniform(example, element)));
        const double angle = 2.0 * std::numbers::pi * random.uniform(example, element + 1);
        spectrum[bin] += radius * std::cos(angle);
        spectrum[bin + 1] += radius * std::sin(angle);
    }
}

/// A spectrum without any change becomes zeros.
void standardise(const Spectrum& spectrum, std::span<float> into) {
    const auto mean = std::accumulate(spectrum.begin(), spectrum.end(), 0.0) / bins;
    double squares = 0.0;
    for (const auto value : spectrum) squares += (value - mean) * (value - mean);
    const auto deviation = std::sqrt(squares / bins);
    const auto factor = deviation > 0.0 ? 1.0 / deviation : 0.0;
    for (std::size_t bin = 0; bin < bins; ++bin)
        into[bin] = static_cast<float>((spectrum[bin] - mean) * factor);
}

/// Draws its spectra when they are read.
class DrawnSpectra final : public ExampleValues {
  public:
    DrawnSpectra(std::shared_ptr<const SpectrumTemplates> templates, std::optional<double> signal_to_noise,
                 std::uint64_t seed, SpectraSplit split)
        : templates_(std::move(templates)), signal_to_noise_(signal_to_noise), seed_(seed), split_(split) {}
    void read(std::uint32_t example, std::span<float> into) const override {
        draw_spectrum(*templates_, signal_to_noise_, seed_, split_, example, into);
    }

  private:
    std::shared_ptr<const SpectrumTemplates> templates_;
    std::optional<double> signal_to_noise_;
    std::uint64_t seed_;
    SpectraSplit split_;
};

}  // namespace

LabelScale redshift_scale(std::int64_t classes) {
    return {.quantity = "z", .first = least_redshift, .width = redshift_range / static_cast<double>(classes)};
}

WavelengthRange wavelengths_at_rest() {
    constexpr double last_bin = first_bin + bin_step * (spectrum_bins - 1);
    return {.first = first_bin / (1.0 + least_redshift + redshift_range),
            .last = last_bin / (1.0 + least_redshift)};
}

double spectrum_redshift(std::uint64_t seed, SpectraSplit split, std::uint32_t example) {
    return least_redshift + redshift_range * stream_of(seed, split).uniform(example, spectrum_redshift_at);
}

std::int32_t spectrum_label(std::uint64_t seed, SpectraSplit split, std::uint32_t example,
                            std::int64_t classes) {
    // The product is exact, so no label is on the wrong side of an edge.
    return static_cast<std::int32_t>(stream_of(seed, split).uniform(example, spectrum_redshift_at) *
                                     static_cast<double>(classes));
}

void draw_spectrum(const SpectrumTemplates& templates, std::optional<double> signal_to_noise,
                   std::uint64_t seed, SpectraSplit split, std::uint32_t example, std::span<float> into) {
    const auto random = stream_of(seed, split);
    const auto which =
        random.below(static_cast<std::uint32_t>(templates.count()), example, spectrum_template_at);
    auto spectrum = sampled(templates, which, spectrum_redshift(seed, split, example));
    if (signal_to_noise) add_noise(spectrum, median_size(spectrum) / *signal_to_noise, random, example);
    standardise(spectrum, into);
}

Dataset drawn_spectra(const SpectraSpec& spec, std::shared_ptr<const SpectrumTemplates> templates,
                      std::uint64_t seed, SpectraSplit split, std::int64_t count, bool cache,
                      const DataWanted& wanted) {
    const ExampleShape shape{1, 1, spectrum_bins};
    const auto scale = redshift_scale(spec.classes);
    const auto when = cache ? Prepare::ahead : Prepare::each_time;
    std::shared_ptr<const ExampleValues> values;
    if (wanted.values)
        values = std::make_shared<DrawnSpectra>(std::move(templates), spec.signal_to_noise, seed, split);
    if (!wanted.labels)
        return Dataset::unlabelled(shape, spec.classes, count, std::move(values))
            .prepared(when, PreparedStore::memory);
    std::vector<std::int32_t> labels(static_cast<std::size_t>(count));
    std::vector<double> redshifts(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const auto example = static_cast<std::uint32_t>(i);
        labels[i] = spectrum_label(seed, split, example, spec.classes);
        redshifts[i] = spectrum_redshift(seed, split, example);
    }
    return Dataset(shape, spec.classes, std::move(labels), std::move(values))
        .with_scale(scale, std::move(redshifts))
        .prepared(when, PreparedStore::memory);
}

}  // namespace convoy
