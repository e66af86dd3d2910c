#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

#include "monitor/run_figures.hpp"
#include "report/journal_folder.hpp"

namespace convoy {

/// Reads the journals of a run that another process writes: at each look only what is new.
class JournalFollower {
  public:
    /// partial: OUT.partial. ranks: of the run.
    JournalFollower(const std::filesystem::path& partial, std::int64_t ranks);

    /// Adds what is new. If the run has gone back to an earlier step meanwhile, it begins again. Throws as
    /// JournalFolder and JournalReader.
    void look();
    /// The figures of the records so far, without progress.
    [[nodiscard]] const RunFigures& figures() const { return figures_; }
    [[nodiscard]] RunFigures& figures() { return figures_; }

  private:
    /// Reads what is new. Returns false if records that were read before are no longer there.
    bool read();

    JournalFolder journals_;
    RunFigures figures_;
    struct Place {
        std::uint64_t bytes = 0;  ///< of whole frames that were read
        bool damaged = false;     ///< what stands behind them is no frame
    };
    std::map<std::int64_t, Place> read_;  ///< by rank
};

}  // namespace convoy
