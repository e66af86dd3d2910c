#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "measure/records.hpp"

namespace convoy {

/// Takes the results of a run as they arrive, so that the launcher holds none. The launcher calls it from
/// one thread, and answers neither signals nor nodes until the call returns. A member may throw an
/// OutputError; then the launcher ends the run as if the user had interrupted it, and throws the error when
/// the nodes have ended.
class RecordSink {
  public:
    RecordSink() = default;
    RecordSink(const RecordSink&) = delete;
    RecordSink& operator=(const RecordSink&) = delete;
    RecordSink(RecordSink&&) = delete;
    RecordSink& operator=(RecordSink&&) = delete;
    virtual ~RecordSink() = default;

    /// Takes a part of the records of a node. The parts of a node come in order. A later summary takes the
    /// place of an earlier one.
    virtual void take(std::int64_t rank, NodeRecords records) = 0;
    /// How far the records of a node count now, for a checkpoint: a run that is continued from the
    /// checkpoint drops the records behind this mark. Traces do not count.
    [[nodiscard]] virtual std::uint64_t mark(std::int64_t rank) = 0;
    /// Takes the trained weights: the bytes of a safetensors file.
    virtual void take_weights(std::span<const std::byte> safetensors) = 0;
    /// The user interrupted the run: nodes will stop before the end of training.
    virtual void note_interrupted() = 0;
};

}  // namespace convoy
