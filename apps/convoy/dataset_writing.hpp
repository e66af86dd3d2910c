#pragma once

#include <boost/program_options.hpp>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "data/hdf5_writer.hpp"
#include "voice.hpp"

namespace convoy {

/// Where and how arrays are written.
struct Writing {
    std::filesystem::path out;
    std::optional<Hdf5Storage> hdf5 = {};  ///< absent: NPY files
};

/// The options of `convoy dataset write` and the folder `out`. Throws UsageError.
Writing writing_given(const boost::program_options::variables_map& given, std::filesystem::path out);

/// `convoy dataset write SPEC`: writes the splits of the spec's dataset, with these overrides, as arrays, and
/// prints their places. Returns the exit code.
int write_dataset(const std::filesystem::path& file, const Writing& to,
                  std::span<const std::string> overrides, const std::filesystem::path& data_folder,
                  const Telling& telling);

}  // namespace convoy
