#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cluster/launcher.hpp"
#include "data/data_files.hpp"
#include "data/fetched_data.hpp"
#include "report/run_record.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// All that a run folder says of a run beside what was measured: its identity, spec, machine, build, data.
class RunDescription {
  public:
    /// Hashes the files of the data, and the initial weights, as they are before the run. Throws as
    /// DataDigests. spec: must outlive this object.
    RunDescription(const ExperimentSpec& spec, const std::filesystem::path& data_folder,
                   DataDigests& digests);

    /// What differs from the build and the data of the run in a run folder or an OUT.partial
    /// (origin_differences). Nothing if there is no such run. Throws DataError if its description is damaged.
    [[nodiscard]] std::vector<std::string> differences_from(const std::filesystem::path& folder) const;
    /// The same for the data only.
    [[nodiscard]] std::vector<std::string> changed_data_since(const std::filesystem::path& folder) const;

    /// Adds a change that the user accepted; it is a warning of the run, and of all that continue it.
    void accept_change(const std::string& line);
    /// Notes which files of the data this process got from addresses.
    void set_fetched(const FetchTotals& fetched) { fetched_ = fetched; }
    /// Notes that the connections of the run are under TLS; files: that the user gave.
    void set_tls(const TlsFiles& files) { tls_ = files; }
    /// Takes over the changes that were accepted when the run in the folder was continued before.
    void continue_from(const std::filesystem::path& folder);

    /// The description, with what is known of the run so far. shares: of a batch, if they are not equal.
    /// pipeline: the planned schedule, if there is one.
    [[nodiscard]] RunRecord record(const RunOutcome& outcome, const std::optional<BatchShares>& shares,
                                   const std::string& pipeline) const;

  private:
    [[nodiscard]] nlohmann::json environment(const RunOutcome& outcome) const;

    const ExperimentSpec& spec_;
    std::string id_;
    std::vector<DataFile> data_;
    std::optional<FetchTotals> fetched_;
    std::optional<TlsFiles> tls_;
    std::vector<std::string> accepted_changes_;
};

}  // namespace convoy
