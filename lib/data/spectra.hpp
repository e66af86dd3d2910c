#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "data/dataset.hpp"
#include "data/spectrum_templates.hpp"

namespace convoy {

/// Spectra of galaxies that convoy draws (SPECTRA.md): a template, redshifted by z and sampled on
/// `spectrum_bins` bins, with noise, then with a mean of 0 and a standard deviation of 1. z is uniform in
/// [least_redshift, least_redshift + redshift_range), and the classes are equal bins of it. The form is that
/// of Aspri ("Distributed deep learning for astrophysical and remote sensing data", University of Crete,
/// 2019).
constexpr std::int64_t spectrum_bins = 1780;
constexpr double first_bin = 11000.0, bin_step = 5.0;  ///< wavelength of the first bin, and to the next, Å
constexpr double least_redshift = 1.0, redshift_range = 0.8;

/// Spectra for training and for tests never share their random numbers.
enum class SpectraSplit : std::uint32_t { train = 0, test = 1 };

/// The classes as bins of z.
LabelScale redshift_scale(std::int64_t classes);

/// Wavelengths at rest that are seen in the bins, Å.
WavelengthRange wavelengths_at_rest();

/// The redshift and the class of one example: pure functions.
double spectrum_redshift(std::uint64_t seed, SpectraSplit split, std::uint32_t example);
std::int32_t spectrum_label(std::uint64_t seed, SpectraSplit split, std::uint32_t example,
                            std::int64_t classes);

/// Draws the values of one example into spectrum_bins floats. It is a pure function of its arguments. The
/// noise of a bin is normal, with the median of the absolute values of the spectrum over signal_to_noise as
/// its standard deviation.
void draw_spectrum(const SpectrumTemplates& templates, std::optional<double> signal_to_noise,
                   std::uint64_t seed, SpectraSplit split, std::uint32_t example, std::span<float> into);

/// The first `count` examples, with their redshifts. cache: they are drawn now and kept as floats; otherwise
/// they are drawn each time they are read. wanted: parts that are not wanted are not drawn. templates: null
/// if values are not wanted. spec.seed is not used.
Dataset drawn_spectra(const SpectraSpec& spec, std::shared_ptr<const SpectrumTemplates> templates,
                      std::uint64_t seed, SpectraSplit split, std::int64_t count, bool cache,
                      const DataWanted& wanted = {});

}  // namespace convoy
