#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cluster/launcher.hpp"
#include "data/data_files.hpp"
#include "report/run_record.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// All that a run folder says of a run beside what was measured: its identity, spec, machine, build, data.
class RunDescription {
  public:
    /// Hashes the files of the data, and the initial weights, as they are before the run. Throws as
    /// data_digests. spec: must outlive this object.
    RunDescription(const ExperimentSpec& spec, const std::filesystem::path& data_folder);

    /// The description, with what is known of the run so far.
    [[nodiscard]] RunRecord record(const RunOutcome& outcome) const;

  private:
    [[nodiscard]] std::string environment(const RunOutcome& outcome) const;

    const ExperimentSpec& spec_;
    std::string id_;
    std::vector<DataFile> data_;
};

}  // namespace convoy
