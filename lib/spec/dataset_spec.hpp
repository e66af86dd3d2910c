#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/label_scale.hpp"
#include "tensor/example_shape.hpp"

namespace convoy {

/// The name of a dataset in NPY files of the user. `DatasetSpec::npy` names the files.
inline constexpr std::string_view npy_dataset = "npy";

/// The name of a dataset in HDF5 files of the user: the same fields, with FILE:/NAME in place of a file.
inline constexpr std::string_view hdf5_dataset = "hdf5";

/// The name of the dataset of galaxy spectra that convoy draws. `DatasetSpec::spectra` says how.
inline constexpr std::string_view spectra_dataset = "spectra";

/// Whether the text of a spec is an address (SCHEME://...) of a file or folder, and not a path.
[[nodiscard]] bool is_address(std::string_view text);

/// The order of the axes of an example in a file: C,H,W or H,W,C of an image with three extents; C,L or L,C
/// of a sequence.
enum class ImageLayout { channels_first, channels_last, sequence_channels_first, sequence_channels_last };

/// The format of a user's files.
enum class ArrayFormat : std::uint8_t { npy, hdf5 };

/// An array as a spec names it: an NPY file; or FILE:/NAME, a dataset of an HDF5 file.
struct ArrayPlace {
    std::string file = {};
    std::string name = {};  ///< in an HDF5 file, with its first slash
    bool operator==(const ArrayPlace&) const = default;
};

/// Takes the text of a spec apart, at its last ":/". Absent: HDF5 needs both parts.
[[nodiscard]] std::optional<ArrayPlace> array_place(const std::string& text, ArrayFormat format);

/// One input of a dataset in NPY files.
struct NpyInput {
    std::string name = std::string(images_input);
    std::vector<std::string> files = {};  ///< one behind the other
    /// Files with the test examples; absent: test_fraction draws them.
    std::optional<std::vector<std::string>> test_files = {};
    /// The first two are for arrays of four dimensions, and change no others; the last two for arrays of
    /// three.
    ImageLayout layout = ImageLayout::channels_first;
    std::optional<double> scale = {};  ///< factor of each value; absent: 1/255 for bytes, else 1
    bool operator==(const NpyInput&) const = default;
};

/// A dataset in NPY files (lib/data/NPY.md), or in HDF5 files (lib/data/HDF5.md). Relative paths are in the
/// data folder. An NPY file may also be an address (lib/data/FETCHING.md).
struct NpySpec {
    ArrayFormat format = ArrayFormat::npy;        ///< follows from the dataset's name
    std::vector<NpyInput> inputs = {NpyInput{}};  ///< in the order of their names; all have the same examples
    std::vector<std::string> labels = {};         ///< one file behind the other
    std::optional<std::vector<std::string>> test_labels = {};
    /// The share of the examples that are test examples, in (0, 1). They are drawn with split_seed.
    std::optional<double> test_fraction = {};
    std::uint64_t split_seed = 1;                ///< also the seed of the examples of validation_fraction
    std::optional<std::int64_t> classes = {};    ///< absent: one more than the largest label
    std::optional<LabelScale> label_scale = {};  ///< set if labels are bins of a quantity
    /// Of HDF5: the bytes of decoded chunks that stay in memory for each array.
    std::int64_t chunk_cache_bytes = std::int64_t{32} << 20U;
    /// Whether inputs have names of their own.
    [[nodiscard]] bool named() const { return inputs.size() != 1 || inputs.front().name != images_input; }
    bool operator==(const NpySpec&) const = default;
};

/// Whether a dataset of this name is in arrays of the user.
[[nodiscard]] inline bool is_of_arrays(std::string_view name) {
    return name == npy_dataset || name == hdf5_dataset;
}

/// How galaxy spectra are drawn (lib/data/SPECTRA.md).
struct SpectraSpec {
    std::int64_t classes = 80;  ///< equal bins of the redshift
    /// The median of a spectrum without noise over the standard deviation of the noise of a bin; absent: no
    /// noise.
    std::optional<double> signal_to_noise = {};
    /// A folder with flux.npy and wavelength_angstrom.npy; absent: convoy's own templates. A relative path is
    /// in the data folder.
    std::optional<std::string> template_dir = {};
    std::optional<std::uint64_t> seed = {};  ///< absent: the experiment's
    bool operator==(const SpectraSpec&) const = default;
};

/// The examples of a run: a known dataset, a drawn one, or arrays of the user.
struct DatasetSpec {
    std::string name;
    std::optional<std::int64_t> train_examples;  ///< number of training examples, from the first; absent: all
    std::optional<std::int64_t> test_examples;
    /// The share of the training examples for validation, in [0, 1). They are the last ones; with `npy` they
    /// are drawn.
    double validation_fraction = 0.0;
    bool subtract_mean = false;  ///< subtract the mean of all training examples, value by value
    /// The address of a folder with the files of a known dataset (lib/data/FETCHING.md). Absent: they are in
    /// the data folder.
    std::optional<std::string> source = {};
    std::optional<NpySpec> npy = {};          ///< set exactly if is_of_arrays(name)
    std::optional<SpectraSpec> spectra = {};  ///< set exactly if the name is spectra_dataset
    /// Whether files have to be fetched before a node can read them.
    [[nodiscard]] bool has_addresses() const;
    bool operator==(const DatasetSpec&) const = default;
};

}  // namespace convoy
