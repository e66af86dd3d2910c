#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace convoy {

/// Spectra of galaxies at rest, all at the same wavelengths (SPECTRA.md).
struct SpectrumTemplates {
    std::vector<double> wavelengths;  ///< Å, ascending
    std::vector<float> flux;          ///< one template after the other; any unit

    [[nodiscard]] std::size_t count() const { return flux.size() / wavelengths.size(); }
    [[nodiscard]] std::span<const float> of(std::size_t which) const {
        return std::span(flux).subspan(which * wavelengths.size(), wavelengths.size());
    }
};

/// Wavelengths that every set of templates must cover, Å: those from which light is redshifted into the bins.
struct WavelengthRange {
    double first = 0.0, last = 0.0;
};

/// 64 templates by formulas: a power law with a break at 4000 Å, absorption lines and emission lines; four
/// ages by four strengths of emission by four excitations.
SpectrumTemplates analytic_templates();

/// Files of a folder with templates: an array (templates, wavelengths), and one (wavelengths).
inline constexpr auto template_flux_file = "flux.npy";
inline constexpr auto template_wavelength_file = "wavelength_angstrom.npy";

/// Reads both files. Wavelengths must ascend and cover `needed`. There are at most 100,000 templates and
/// wavelengths, and 2^26 values. Throws MissingFileError, or a DataError that names the file, the found value
/// and the expected value.
SpectrumTemplates read_templates(const std::filesystem::path& folder, WavelengthRange needed);

}  // namespace convoy
