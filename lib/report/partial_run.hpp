#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/record_sink.hpp"
#include "report/partial_folder.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// Where a run that is continued goes on.
struct PartialMarks {
    std::vector<std::uint64_t> marks;  ///< of each rank, as RecordSink::mark gave them
    /// A folder with the journals of a run that was interrupted: those that are not in OUT.partial are moved
    /// from there. It may be empty, or not exist.
    std::filesystem::path journals;
    /// Records of ranks that are gone, behind the marks.
    std::map<std::int64_t, NodeRecords> more;
};

/// A run on its way to its folder: records and weights go to OUT.partial as they arrive, and OUT.partial
/// becomes the run folder OUT at the end (PARTIAL_RUN.md). The results stay in OUT.partial after any error
/// and if the process is killed.
class PartialRun final : public RecordSink {
  public:
    /// What the run folder's OUT.partial may have.
    enum class Open : std::uint8_t {
        fresh,   ///< no results
        again,   ///< results that are removed, since the run is trained again
        resume,  ///< results that the run goes on with
    };

    /// Makes OUT.partial. run_folder: OUT. weights_bytes: room that is kept on disk for the weights. resume:
    /// only with Open::resume. once_held: is called when no other process can write OUT.partial any more;
    /// what it throws is thrown before OUT.partial is changed. Throws UsageError if another process holds
    /// OUT.partial, or if it has results that it must not have; OutputError if it cannot be made.
    PartialRun(const std::filesystem::path& run_folder, const RunRecord& run, std::int64_t ranks,
               std::uint64_t weights_bytes, Open open, const PartialMarks* resume = nullptr,
               const std::function<void()>& once_held = {});
    /// Takes over the OUT.partial of a process that ended, to finish it. Throws as read_partial_header, and
    /// UsageError if a process holds it.
    explicit PartialRun(const std::filesystem::path& partial);
    PartialRun(const PartialRun&) = delete;
    PartialRun& operator=(const PartialRun&) = delete;
    PartialRun(PartialRun&&) = delete;
    PartialRun& operator=(PartialRun&&) = delete;
    /// Removes OUT.partial if nothing that was trained is in it.
    ~PartialRun() override;

    [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
    /// The records so far.
    [[nodiscard]] JournalFolder journals() const { return folder_.journals(); }
    [[nodiscard]] bool has_results() const noexcept { return folder_.has_results(); }
    [[nodiscard]] const std::optional<std::string>& lock_warning() const { return folder_.lock_warning(); }
    /// Whether records are missing that belong to the checkpoint from which the run continues.
    [[nodiscard]] bool lost_records() const { return lost_records_; }

    /// Goes back to a checkpoint of this run, or to its beginning (no marks): the records behind the marks
    /// are dropped, the tables are written again, and weights that have come are set aside. run: the
    /// description from now on. weights_bytes: as for the constructor. Throws OutputError.
    void go_back(const RunRecord& run, std::uint64_t weights_bytes, const PartialMarks& marks);

    void take(std::int64_t rank, NodeRecords records) override;
    [[nodiscard]] std::uint64_t mark(std::int64_t rank) override;
    void take_weights(std::span<const std::byte> safetensors) override;
    void note_interrupted() override;
    /// Makes sure that the records so far are on disk. Another thread may call it.
    void sync() const { folder_.journals().sync(); }

    /// Writes what is known of the run, for a process that completes it. Throws OutputError.
    void describe(const RunRecord& run) const;
    /// From now on the run has so many ranks, since others were lost: an epoch is complete with their rows.
    /// run: the description from now on. Throws OutputError.
    void go_on_with(std::int64_t ranks, const RunRecord& run);
    /// As go_on_with, where each node goes on from its own step: rows keep the ranks of the beginning, since
    /// two nodes that have had one rank may both have taken a step. places: the rank that each rank of now
    /// had then.
    void go_on_apart(std::span<const std::int64_t> places, const RunRecord& run);
    /// Writes the tables and the report from the records. run: the run with its status. Memory is bounded,
    /// see write_run_files. Throws OutputError.
    RunResults finish(const RunRecord& run);
    /// After finish(): lines for the user on what tables lack, see write_run_files.
    [[nodiscard]] const std::vector<std::string>& damage() const { return damage_; }
    /// Makes OUT.partial the run folder `target`. Returns false if `target` exists. keep_journals: a folder
    /// to which the journals go, for a run that will be continued. Throws OutputError.
    [[nodiscard]] bool publish(const std::filesystem::path& target,
                               const std::optional<std::filesystem::path>& keep_journals = {});
    /// As publish, but replaces the folder that is there.
    void replace(const std::filesystem::path& target,
                 const std::optional<std::filesystem::path>& keep_journals = {});

  private:
    void prepare(Open open, bool goes_on) const;
    void put_weights_aside() const;
    void take_journals(const PartialMarks& resume);
    void reserve_weights(std::uint64_t bytes) const;
    void begin_tables();
    void add_to_tables(const NodeRecords& records);
    /// The rank of a node's rows.
    [[nodiscard]] std::int64_t place_of(std::int64_t rank) const;
    /// Ends the records of a node that is lost, so that no table waits for more of them.
    void end_records_of(std::int64_t place);
    /// Whether each node that is there has told the epoch of these rows. Lost nodes may have, too.
    [[nodiscard]] bool has_all(std::span<const NodeEpochRecord> told) const;
    /// Adds the row of an epoch, of the nodes that have told it.
    void add_epoch(std::int64_t epoch);
    /// Journals that a later run needs are moved before OUT appears, so that an error leaves OUT.partial. The
    /// others are removed behind it: until then, OUT.partial can still be completed.
    void begin_placing(const std::optional<std::filesystem::path>& keep_journals) const;
    void end_placing();

    PartialFolder folder_;
    std::int64_t ranks_;
    std::vector<std::int64_t> places_;  ///< see go_on_apart; empty: ranks are what they were
    bool published_ = false, lost_records_ = false;
    std::vector<std::string> damage_;
    std::map<std::int64_t, std::vector<NodeEpochRecord>> epochs_;  ///< that not all nodes have told yet
};

}  // namespace convoy
