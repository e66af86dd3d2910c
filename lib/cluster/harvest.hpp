#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cluster/launcher.hpp"
#include "cluster/member.hpp"
#include "measure/record_sink.hpp"

namespace convoy {

/// Hands the results of the nodes on as they arrive, and gathers their checkpoints and weights. After an
/// OutputError of the sink, records are dropped: the nodes are then asked to stop, so that their weights are
/// kept.
class Harvest {
  public:
    /// nodes: the number of ranks. resume: the checkpoint from which the run continues. sink: takes records
    /// and weights; null: they are kept for finish. weights_from: see LaunchOptions.
    Harvest(std::size_t nodes, const std::optional<RunCheckpoint>& resume, RecordSink* sink,
            std::vector<std::int64_t> weights_from);

    void take_records(std::int64_t rank, NodeRecords records);
    /// Takes the trained values of the parameters that a node saves.
    void take_weights(std::int64_t rank, std::vector<std::byte> safetensors) {
        weights_[rank] = std::move(safetensors);
    }
    /// Takes a node's checkpoint, and notes how far the node's records count for it.
    void take_checkpoint(std::int64_t rank, NodeCheckpoint checkpoint);
    /// Goes on with so many ranks, after others were lost. Of the lost ranks it keeps the records that came.
    void go_on_with(std::size_t nodes);
    /// The checkpoint of the whole run. Call it when each node has sent its checkpoint. Then the next
    /// checkpoints may come. Absent after a problem of the sink: the marks would count records that were
    /// dropped, so a run that goes on from this checkpoint would lack them.
    std::optional<RunCheckpoint> gather_checkpoint();
    /// Tells the sink that the user interrupted the run.
    void note_interrupted();
    /// Hands the weights to the sink after a failure, if those of the whole network have arrived.
    void save_weights() noexcept;

    /// The first problem of the sink.
    [[nodiscard]] const std::optional<std::string>& problem() const { return problem_; }
    /// Tells the sink each node's summary again, with the clock offsets of the members, which are known at
    /// the end only. Moves out the results that no sink took. The object is empty afterwards.
    RunOutcome finish(std::span<const Member> members);

  private:
    struct Told {
        NodeCheckpoint checkpoint;
        std::uint64_t mark_at_checkpoint = 0;
        std::optional<NodeSummary> summary = {};  ///< it comes with the node's last records
    };
    void to_sink(const std::function<void()>& give);
    void tell_again(const NodeSummary& summary);
    /// The weights of the network, as one file; empty unless all that belong to it have arrived, or if they
    /// were moved out before.
    std::vector<std::byte> move_weights_out();
    /// Hands the weights of the network to the sink, if they have arrived and that was not done yet.
    void hand_weights_on();

    RecordSink* sink_;
    std::optional<std::string> problem_;
    std::vector<Told> nodes_;           ///< by rank
    std::vector<NodeRecords> records_;  ///< by rank; empty with a sink
    std::vector<NodeSummary> gone_;     ///< of ranks that the run had before it was continued
    std::size_t ranks_with_records_;
    std::vector<std::int64_t> resumed_from_steps_;
    std::vector<std::int64_t> weights_from_;                  ///< the ranks that save some
    std::map<std::int64_t, std::vector<std::byte>> weights_;  ///< by rank
};

}  // namespace convoy
