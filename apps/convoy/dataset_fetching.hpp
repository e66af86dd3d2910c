#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "voice.hpp"

namespace convoy {

/// `convoy dataset fetch NAME`: downloads the files of a known dataset that are missing. Returns the exit
/// code, as the others do. Throws as manifest_of and fetch_file.
int fetch_known(const std::string& name, const std::filesystem::path& data_folder, const Telling& telling);

/// `convoy dataset fetch SPEC`: the files that a spec, with these overrides, has from addresses.
int fetch_of_spec(const std::filesystem::path& file, std::span<const std::string> overrides,
                  const std::filesystem::path& data_folder, const Telling& telling);

/// `convoy dataset fetch ADDRESS`: the file of an address, into the cache. Prints the address with its hash.
int fetch_address(const std::string& text, const std::filesystem::path& data_folder, const Telling& telling);

}  // namespace convoy
