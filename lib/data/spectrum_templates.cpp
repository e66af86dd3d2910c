#include "data/spectrum_templates.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "data/array_file.hpp"

namespace convoy {
namespace {

/// A spectral line: its wavelength in air, Å, and its strength relative to others of its group.
struct Line {
    double wavelength, strength;
};

/// [OII] 3727 is not among them: at these redshifts it lies below the first bin.
constexpr std::array<Line, 4> balmer{{{4101.7, 0.26}, {4340.5, 0.47}, {4861.3, 1.0}, {6562.8, 2.86}}};
constexpr std::array<Line, 2> oxygen{{{4958.9, 1.0 / 3.0}, {5006.8, 1.0}}};
constexpr std::array<Line, 6> others{
    {{6548.1, 0.2}, {6583.5, 0.6}, {6716.4, 0.35}, {6730.8, 0.25}, {9068.6, 0.2}, {9530.6, 0.5}}};
constexpr std::array<Line, 7> absorbed{{{3933.7, 1.0},
                                        {3968.5, 0.9},
                                        {4304.4, 0.5},
                                        {5175.4, 0.6},
                                        {5893.0, 0.5},
                                        {8542.1, 0.4},
                                        {8662.1, 0.3}}};

constexpr int variants = 4;  // of each property
constexpr double first_wavelength = 3900.0, wavelength_step = 2.5;
constexpr std::size_t wavelength_count = 2441;

/// The profile of a line: 1 in its middle. sigma: Å.
double profile(double wavelength, double middle, double sigma) {
    const double distance = (wavelength - middle) / sigma;
    return std::exp(-0.5 * distance * distance);
}

double continuum(double wavelength, int age) {
    const double slope = -1.5 + 0.5 * age, depth = 0.1 + 0.15 * age;
    return std::pow(wavelength / 5500.0, slope) *
           (1.0 - depth / (1.0 + std::exp((wavelength - 4000.0) / 25.0)));
}

double absorption(double wavelength, int age) {
    double factor = 1.0;
    for (const auto& line : absorbed)
        factor *= 1.0 - (0.05 + 0.1 * age) * line.strength * profile(wavelength, line.wavelength, 8.0);
    return factor;
}

double emission(double wavelength, int strength, int excitation) {
    const double sigma = 3.0 + excitation;
    const auto sum = [&](const auto& lines) {
        double flux = 0.0;
        for (const auto& line : lines) flux += line.strength * profile(wavelength, line.wavelength, sigma);
        return flux;
    };
    const double height = 2.0 * std::pow(4.0, -strength);
    return height * (sum(balmer) + 0.5 * std::pow(2.0, excitation) * sum(oxygen) + sum(others));
}

constexpr std::int64_t most_extent = 100'000;
constexpr std::int64_t most_values = std::int64_t{1} << 26U;

/// The header's extents must be few enough, and of this rank.
void check_extents(const ArrayFile& array, std::size_t rank, const char* expected) {
    const auto& shape = array.form().shape;
    bool fits = shape.rank() == rank;
    for (const auto extent : shape) fits = fits && extent <= most_extent;
    if (fits && shape.elements() <= most_values) return;
    throw DataError(fmt::format("{}: found an array of {}, expected {}, at most {} of each and {} values",
                                array.name(), shape.text(), expected, most_extent, most_values));
}

ArrayFile open(const std::filesystem::path& file) {
    try {
        return {file, false};
    } catch (const MissingFileError& error) {
        throw MissingFileError(
            fmt::format("$.dataset.template_dir: {}; the folder needs {} and {}; a relative path is looked "
                        "for beside the "
                        "spec, and then in the data folder (--data or CONVOY_DATA)",
                        error.what(), template_flux_file, template_wavelength_file));
    }
}

/// All values of an array: `width` for each entry of its first axis.
std::vector<float> values_of(ArrayFile array, std::size_t width) {
    const auto count = static_cast<std::size_t>(array.size());
    std::vector<ArrayFile> files;
    files.push_back(std::move(array));
    const ArrayValues source(std::move(files), {});
    std::vector<float> values(count * width);
    for (std::size_t i = 0; i < count; ++i)
        source.read(static_cast<std::uint32_t>(i), std::span(values).subspan(i * width, width));
    return values;
}

void check_wavelengths(const std::vector<double>& found, WavelengthRange needed, const std::string& file) {
    for (std::size_t i = 1; i < found.size(); ++i) {
        if (found[i] > found[i - 1]) continue;
        throw DataError(fmt::format("{}: found {} behind {} at place {}, expected ascending wavelengths",
                                    file, found[i], found[i - 1], i));
    }
    if (found.front() <= needed.first && found.back() >= needed.last) return;
    throw DataError(fmt::format("{}: found wavelengths from {} to {}, expected {:.2f} to {:.2f} Å at least",
                                file, found.front(), found.back(), needed.first, needed.last));
}

}  // namespace

SpectrumTemplates analytic_templates() {
    SpectrumTemplates templates;
    templates.flux.reserve(variants * variants * variants * wavelength_count);
    for (std::size_t i = 0; i < wavelength_count; ++i)
        templates.wavelengths.push_back(first_wavelength + wavelength_step * static_cast<double>(i));
    for (int age = 0; age < variants; ++age)
        for (int strength = 0; strength < variants; ++strength)
            for (int excitation = 0; excitation < variants; ++excitation)
                for (const auto wavelength : templates.wavelengths)
                    templates.flux.push_back(
                        static_cast<float>(continuum(wavelength, age) * absorption(wavelength, age) +
                                           emission(wavelength, strength, excitation)));
    return templates;
}

SpectrumTemplates read_templates(const std::filesystem::path& folder, WavelengthRange needed) {
    auto wavelengths = open(folder / template_wavelength_file);
    check_extents(wavelengths, 1, "(wavelengths)");
    auto flux = open(folder / template_flux_file);
    check_extents(flux, 2, "(templates, wavelengths)");
    const auto width = wavelengths.size();
    if (flux.form().shape[1] != width) {
        throw DataError(fmt::format("{}: found {} values for each template, but {} holds {} wavelengths",
                                    flux.name(), flux.form().shape[1], wavelengths.name(), width));
    }
    const auto name = wavelengths.name();
    const auto ascending = values_of(std::move(wavelengths), 1);
    SpectrumTemplates templates{.wavelengths = {ascending.begin(), ascending.end()}, .flux = {}};
    check_wavelengths(templates.wavelengths, needed, name);
    templates.flux = values_of(std::move(flux), static_cast<std::size_t>(width));
    return templates;
}

}  // namespace convoy
