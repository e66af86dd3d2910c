#include "data/spectrum_templates.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>

#include "base/error.hpp"
#include "data/npy_writer.hpp"
#include "data/spectra.hpp"
#include "data/temporary_folder.hpp"

using namespace convoy;
using Catch::Matchers::Contains;

namespace {

template <typename T>
void save(const std::filesystem::path& file, NpyType type, const Shape& shape, const std::vector<T>& values) {
    NpyWriter writer(file, type, shape);
    writer.write(std::span<const T>(values));
    writer.finish();
}

/// A folder with two templates at these wavelengths.
void save_templates(const TemporaryFolder& folder, const std::vector<double>& wavelengths) {
    const auto count = std::ssize(wavelengths);
    save(folder / "wavelength_angstrom.npy", NpyType::f8, {count}, wavelengths);
    std::vector<float> flux;
    for (std::int64_t i = 0; i < 2 * count; ++i) flux.push_back(static_cast<float>(i));
    save(folder / "flux.npy", NpyType::f4, {2, count}, flux);
}

double at(const SpectrumTemplates& templates, std::size_t which, double wavelength) {
    const auto found = std::ranges::lower_bound(templates.wavelengths, wavelength);
    return static_cast<double>(
        templates.of(which)[static_cast<std::size_t>(found - templates.wavelengths.begin())]);
}

}  // namespace

TEST_CASE("the bins see wavelengths at rest from 3928.6 to 9947.5, which own templates cover") {
    const auto needed = wavelengths_at_rest();
    CHECK(needed.first == Approx(11000.0 / 2.8));
    CHECK(needed.last == Approx(19895.0 / 2.0));
    const auto own = analytic_templates();
    CHECK(own.count() == 64);
    CHECK(own.wavelengths.front() <= needed.first);
    CHECK(own.wavelengths.back() >= needed.last);
    CHECK(std::ranges::all_of(own.flux, [](float flux) { return std::isfinite(flux) && flux > 0.0F; }));
}

TEST_CASE("own templates have lines, and a break at 4000 Angstrom that grows with age") {
    const auto own = analytic_templates();
    const std::size_t young = 0, old = 63;  // strong emission, and weak
    CHECK(at(own, young, 6562.5) > 3 * at(own, young, 6450.0));
    CHECK(at(own, young, 5007.5) > 1.5 * at(own, young, 5100.0));
    CHECK(at(own, old, 6562.5) < 1.2 * at(own, old, 6450.0));
    CHECK(at(own, old, 3915.0) < 0.6 * at(own, old, 4150.0));
    CHECK(at(own, young, 3915.0) > 0.9 * at(own, young, 4150.0));
    CHECK(at(own, old, 5175.0) < 0.85 * at(own, old, 5250.0));
}

TEST_CASE("templates of a folder are read, and sampled between their wavelengths along straight lines") {
    const TemporaryFolder folder;
    save_templates(folder, {3000.0, 12000.0});
    const auto templates = read_templates(folder.path(), wavelengths_at_rest());
    REQUIRE(templates.count() == 2);
    CHECK(templates.wavelengths == std::vector<double>{3000.0, 12000.0});
    CHECK(templates.of(1)[0] == 2.0F);
    std::vector<float> values(spectrum_bins);
    draw_spectrum(templates, {}, 1, SpectraSplit::train, 0, values);
    // A straight line has mean 0 and deviation 1 where it goes from -sqrt(3) to sqrt(3), nearly.
    CHECK(values.front() == Approx(-std::sqrt(3.0)).epsilon(1e-3));
    CHECK(values.back() == Approx(std::sqrt(3.0)).epsilon(1e-3));
    CHECK(values[890] == Approx(0.0).margin(2e-3));
}

TEST_CASE("templates that are absent, short or in disorder are refused by name") {
    const TemporaryFolder folder;
    const auto read_them = [&] { return read_templates(folder.path(), wavelengths_at_rest()); };
    CHECK_THROWS_AS(read_them(), MissingFileError);
    CHECK_THROWS_WITH(read_them(),
                      Contains("$.dataset.template_dir: ") && Contains("wavelength_angstrom.npy"));
    save_templates(folder, {4000.0, 12000.0});
    CHECK_THROWS_WITH(read_them(),
                      Contains("found wavelengths from 4000 to 12000, expected 3928.57 to 9947.50"));
    save_templates(folder, {3000.0, 9940.0});
    CHECK_THROWS_WITH(read_them(), Contains("from 3000 to 9940"));
    save_templates(folder, {3000.0, 5000.0, 5000.0, 12000.0});
    CHECK_THROWS_WITH(read_them(), Contains("found 5000 behind 5000 at place 2"));
    save_templates(folder, {3000.0, 12000.0});
    save(folder / "flux.npy", NpyType::f4, {2, 3}, std::vector<float>(6));
    CHECK_THROWS_WITH(read_them(),
                      Contains("found 3 values for each template") && Contains("holds 2 wavelengths"));
    save(folder / "flux.npy", NpyType::f4, {4}, std::vector<float>(4));
    CHECK_THROWS_WITH(read_them(), Contains("found an array of 4, expected (templates, wavelengths)"));
    save(folder / "flux.npy", NpyType::f4, {2, 2}, std::vector<float>{0, 1, std::nanf(""), 3});
    CHECK_THROWS_WITH(read_them(), Contains("flux.npy: example 1 holds nan"));
    save(folder / "flux.npy", NpyType::u1, {100'001, 2}, std::vector<std::uint8_t>(200'002));
    CHECK_THROWS_WITH(read_them(), Contains("100001x2") && Contains("at most 100000 of each"));
}

TEST_CASE("the real templates cover every redshift", "[real_data]") {
    const char* folder = std::getenv("CONVOY_DATA");
    INFO(
        "CONVOY_DATA must name a folder that holds galaxy_templates/ with flux.npy and "
        "wavelength_angstrom.npy");
    REQUIRE(folder != nullptr);
    const auto templates =
        read_templates(std::filesystem::path(folder) / "galaxy_templates", wavelengths_at_rest());
    CHECK(templates.count() == 744);
    CHECK(templates.wavelengths.front() == 3901.25);
    CHECK(templates.wavelengths.back() == 9998.75);
    std::vector<float> values(spectrum_bins);
    for (std::uint32_t i = 0; i < 100; ++i) {
        draw_spectrum(templates, {}, 1, SpectraSplit::train, i, values);
        CHECK(std::ranges::all_of(values, [](float value) { return std::isfinite(value); }));
    }
}
