#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/temporary_folder.hpp"
#include "starters/daemon.hpp"
#include "starters/programs.hpp"

namespace convoy::test {

/// A Slurm of one host with eight processors, on free ports of loopback: munged, slurmctld and slurmd with
/// files of their own. Commands of Slurm that this process starts find it. It ends with the object.
class SlurmCluster {
  public:
    SlurmCluster();

    /// Submits a script, with options of sbatch, waits for its end, and returns the end of sbatch with what
    /// the script wrote in `out`.
    [[nodiscard]] ProgramOutcome run_script(const std::string& script,
                                            std::vector<std::string> options) const;

  private:
    void write_configuration() const;

    TemporaryFolder folder_;
    int controller_port_, host_port_;
    std::unique_ptr<Environment> environment_;
    std::unique_ptr<Daemon> munged_, controller_, host_;
};

}  // namespace convoy::test
