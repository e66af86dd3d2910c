#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cluster/clock_probe.hpp"
#include "cluster/launcher.hpp"
#include "hosts/child_process.hpp"
#include "net/message_channel.hpp"

namespace convoy {

/// One node as the launcher sees it: the process, where it is a local one, the connection, and what it told
/// so far.
struct RemoteNode {
    NodeInfo info;
    std::optional<ChildProcess> process;  ///< local nodes only
    bool running = false;                 ///< process was started and is not reaped
    std::shared_ptr<MessageChannel> channel;
    bool connected = false;
    std::string fabric;  ///< HOST:PORT where its peers reach it
    std::string proof;   ///< what the launcher answers to its hello

    int silent_ticks = 0;      ///< heartbeats since it last said anything
    bool owes_answer = false;  ///< has said nothing since the launcher began to look for a cause
    ClockProbe clock;
    int probes_left = 0;  ///< of the round of clock probes under way
    std::optional<ClockProbe::Estimate> first_clock;

    std::optional<NodeProgress> progress;
    NodeRecords records;                       ///< all that it told in this process
    std::optional<NodeCheckpoint> checkpoint;  ///< told, and others owe theirs
    NodeRecords records_at_checkpoint;         ///< what it had told before that
    std::optional<std::string> fingerprint;    ///< said, and not yet answered
    std::optional<std::int64_t> started_step;  ///< the answer to a request to stop
    bool reported = false;                     ///< told that it failed
    bool finished = false;                     ///< told that its job is done
    bool stopped = false;                      ///< its job ended early because it was asked to

    /// As in "node 2 (pid 4711)", with the host where it is another one.
    [[nodiscard]] std::string label() const;
    /// As in " in epoch 1, step 312": where it last was.
    [[nodiscard]] std::string position() const;
};

}  // namespace convoy
