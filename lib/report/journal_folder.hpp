#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "measure/records.hpp"
#include "report/record_journal.hpp"

namespace convoy {

/// The journals of the nodes of a run, in one folder: for each rank one of its records, and one of its trace.
class JournalFolder {
  public:
    explicit JournalFolder(std::filesystem::path folder) : path_(std::move(folder)) {}

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    [[nodiscard]] std::filesystem::path records_of(std::int64_t rank) const;
    [[nodiscard]] std::filesystem::path trace_of(std::int64_t rank) const;
    /// The ranks that have journals of records, in ascending order. Throws MissingFileError if the folder is
    /// there and cannot be read; so do the other members that read.
    [[nodiscard]] std::vector<std::int64_t> ranks() const;

    /// Whether no journal is there, of records or of a trace. False if that cannot be known.
    [[nodiscard]] bool empty() const;

    /// Appends records, traces apart. Throws OutputError.
    void append(std::int64_t rank, NodeRecords records) const;
    /// Whether a step or an epoch of a node is in a journal.
    [[nodiscard]] bool has_steps() const;
    /// Calls `take` with all parts of these kinds, rank by rank. damage: takes a line for the user for each
    /// journal that ends in something else than a frame, since it is damaged or its process was killed.
    void each(std::uint32_t kinds, const std::function<void(const NodeRecords&)>& take,
              std::vector<std::string>* damage = nullptr) const;
    /// The slices of a rank, at most two times the number that a node keeps.
    [[nodiscard]] std::vector<TraceSlice> slices_of(std::int64_t rank) const;

    /// Flushes all journals of records to disk. Throws OutputError.
    void sync() const;
    /// Cuts the journal of records of each rank to its mark, removes those of ranks behind the marks, and
    /// removes all traces. Returns false if a journal did not reach its mark, so that records are missing.
    [[nodiscard]] bool cut(const std::vector<std::uint64_t>& marks) const;
    /// Moves all journals of records into another folder of the file system, which is made, and replaces the
    /// journals there. Traces are removed. If the process is killed meanwhile, each journal is whole and in
    /// one of the two folders. Throws OutputError.
    void move_to(const std::filesystem::path& folder) const;
    /// Takes from another folder the journals of records that are not here, and removes the rest there. So it
    /// completes a move_to of a process that was killed, in either direction. The other folder may not exist.
    /// Throws OutputError.
    void take_missing_from(const std::filesystem::path& folder) const;
    void remove() const;

  private:
    std::filesystem::path path_;
};

/// Reads the steps of one rank, one after another. Of a step that is there twice, the last row counts.
class StepRows {
  public:
    explicit StepRows(const std::filesystem::path& journal) : reader_(journal), next_(read()) { advance(); }
    /// The current step; null behind the last.
    [[nodiscard]] const StepRecord* get() const { return row_ ? &*row_ : nullptr; }
    void advance();

  private:
    std::optional<StepRecord> read();

    JournalReader reader_;
    std::vector<StepRecord> part_;
    std::size_t at_ = 0;
    std::optional<StepRecord> row_, next_;
};

}  // namespace convoy
