#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>

#include "cluster/launcher.hpp"
#include "data/fetched_data.hpp"
#include "joining.hpp"
#include "plan/plan.hpp"
#include "spec/experiment_spec.hpp"
#include "strategy/compile.hpp"
#include "train/memory_check.hpp"
#include "voice.hpp"

namespace convoy {

/// A spec that was checked: its plan, the memory that its nodes need, and what this machine had left then.
struct CheckedSpec {
    std::filesystem::path file;  ///< empty for a spec that has none
    ExperimentSpec spec;
    DataShape shape;
    Plan plan;
    RunNeed need;
    HostRoom room;
    FetchTotals fetched = {};  ///< the files of the dataset that this process got from addresses
};
/// Reads a spec and plans it, without a run. It also checks the spec against the network and the dataset, and
/// first gets the files of the dataset that are at addresses and not in the cache. data_folder: has one
/// folder for each dataset. voice: tells of files that come. Throws MissingFileError, or a DataError that
/// names the file and the field; OutputError if a file cannot be written into the cache.
CheckedSpec check_spec(const std::filesystem::path& file, std::span<const std::string> overrides,
                       const std::filesystem::path& data_folder, const Voice& voice = Voice());
/// The same for a spec that has no file. A DataError names the field only.
CheckedSpec check_spec(ExperimentSpec spec, const std::filesystem::path& data_folder, const Voice& voice);

/// The description of a spec by `plan`. If the nodes do not fit into this machine, it has the layers and the
/// need only. Throws as check_spec.
std::string plan_text(const CheckedSpec& checked);

/// The same for programs (train/plan_json.hpp).
nlohmann::json plan_content(const CheckedSpec& checked);

/// Throws DataError if the nodes that this machine starts need more memory than there is (does_not_fit).
/// by_hand: the last nodes of the spec, which it does not start.
void require_memory(const CheckedSpec& checked, std::int64_t by_hand = 0);
/// For a plan, whose nodes may have other machines: throws DataError if a node alone, or an emulated host,
/// needs more memory than there is. If only all nodes together do, it warns on standard error.
void require_memory_apart(const CheckedSpec& checked);

/// The examples, over all nodes, of the steps behind step `after` up to step `up_to`.
std::int64_t examples_between(const CheckedSpec& checked, std::int64_t after, std::int64_t up_to);
/// The examples that a rank has in the training steps behind this one, to the end of the run.
std::int64_t share_behind(const CheckedSpec& checked, std::int64_t rank, std::int64_t after);

/// One line if the spec traces steps that its run does not have.
std::optional<std::string> trace_note(const CheckedSpec& checked);

/// One line if the nodes that this machine starts can keep more cores busy than it has: its measurement would
/// be invalid (report/measurement.hpp). joining: how other nodes join.
std::optional<std::string> shared_cores_here(const CheckedSpec& checked, const Joining& joining = {});

/// What a launch is told of the nodes of a run.
LaunchOptions launch_options_of(const CheckedSpec& checked, const Joining& joining);

}  // namespace convoy
