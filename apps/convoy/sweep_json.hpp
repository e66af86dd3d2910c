#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "sweep/sweep_folder.hpp"
#include "sweep/sweep_spec.hpp"

namespace convoy {

/// A sweep for programs: its runs with their settings (typed) and states. folder: of the sweep.
nlohmann::json sweep_list_json(const Sweep& sweep, std::span<const SweepEntry> entries,
                               const std::filesystem::path& folder);

/// The same, and the medians of each setting (medians_data).
nlohmann::json sweep_end_json(const Sweep& sweep, std::span<const SweepEntry> entries,
                              const std::filesystem::path& folder);

}  // namespace convoy
