#pragma once

#include <filesystem>

#include "data/fetched_data.hpp"
#include "voice.hpp"

namespace convoy {

/// The options of a fetch that shows its progress on a terminal, unless the voice is quiet.
FetchOptions fetch_options(const Voice& voice);

/// Gets the files that a spec has from addresses, and tells so if any came. A signal ends the process
/// meanwhile; what came is kept. Throws as fetch_dataset.
FetchTotals fetch_for(const DatasetSpec& spec, const std::filesystem::path& data_folder, const Voice& voice);

}  // namespace convoy
