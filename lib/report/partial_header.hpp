#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "report/run_record.hpp"

namespace convoy {

/// How far a partial run is. PARTIAL_RUN.md lists them.
enum class PartialState : std::uint8_t { running, interrupted, trained, complete, replaced };

/// The files of a partial run that a run folder does not have. All but progress_file and
/// partial_weights_before are in a folder of their own, partial_records.
inline constexpr std::string_view partial_records = "records";
inline constexpr std::string_view partial_header_file = "run.json";
inline constexpr std::string_view partial_state_file = "state";
inline constexpr std::string_view partial_weights_room = "weights.reserved";
inline constexpr std::string_view partial_losses = "losses";  ///< while steps.csv is written
inline constexpr std::string_view progress_file = "progress.json";
/// Weights of the process before, until the process that goes on has its own.
inline constexpr std::string_view partial_weights_before = "weights-before.safetensors";

/// The marker of a partial run.
struct PartialHeader {
    RunRecord run;
    std::int64_t ranks = 0;
    PartialState state = PartialState::running;
};

/// Writes the marker by which convoy knows its folders, spec and environment, and the state `running`. What
/// is there already is replaced as a whole. Throws OutputError.
void write_partial_header(const std::filesystem::path& folder, const RunRecord& run, std::int64_t ranks);
/// As write_partial_header, without the state.
void write_partial_record(const std::filesystem::path& folder, const RunRecord& run, std::int64_t ranks);
/// Writes the state of a partial run. Its file has its room already, so this works on a full disk. Throws
/// OutputError.
void write_state(const std::filesystem::path& folder, PartialState state);
/// Whether convoy made the folder, and it holds a partial run. A run folder OUT is none, also if its process
/// was killed when it had renamed OUT.partial and not yet removed the marker.
bool is_partial_run(const std::filesystem::path& folder);
/// Whether the folder has a marker, perhaps a damaged one. Throws MissingFileError if it cannot be known.
bool has_marker(const std::filesystem::path& folder);
/// Reads the marker. Throws MissingFileError if the folder is no partial run, DataError if it is damaged.
PartialHeader read_partial_header(const std::filesystem::path& folder);
/// Whether a process holds the folder now.
bool is_held(const std::filesystem::path& folder);
/// The results of a partial run so far. They are of status "running" while a process holds the folder, and
/// until its tables are complete, and end where all nodes have told (StepsOfAll). lacking: takes a line for
/// each reason why rows of a run that has ended are left out. Throws as read_partial_header.
RunResults read_partial_run(const std::filesystem::path& folder, std::vector<std::string>* lacking = nullptr);

}  // namespace convoy
