#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/contention.hpp"

namespace convoy {

/// The part of a run to which a measurement belongs.
enum class RunPhase : std::uint8_t { train, evaluate, checkpoint };

/// The times of an exchange, apart from the executor's own time. Sums over the calls of a row.
struct CommunicationTimes {
    double in_flight_us = 0.0;  ///< from start to finished
    double hidden_us = 0.0;     ///< in flight while the executor computed
    double exposed_us = 0.0;    ///< the executor stood still for the exchange
    /// Part of in flight, from the turn of this node to the first data of a peer: the peer had not started
    /// yet.
    double skew_us = 0.0;
    /// Part of exposed and of skew: the executor waited for a peer, not for the network.
    double exposed_skew_us = 0.0;
    bool operator==(const CommunicationTimes&) const = default;

    CommunicationTimes& operator+=(const CommunicationTimes& more) {
        in_flight_us += more.in_flight_us;
        hidden_us += more.hidden_us;
        exposed_us += more.exposed_us;
        skew_us += more.skew_us;
        exposed_skew_us += more.exposed_skew_us;
        return *this;
    }
};

/// The work of an operator: operations, and bytes read and written. Sums over the calls of a row.
/// RUN_FOLDER.md says how it is counted.
struct WorkDone {
    std::int64_t flops = 0;
    std::int64_t read_bytes = 0, written_bytes = 0;
    bool operator==(const WorkDone&) const = default;

    /// Read and written.
    [[nodiscard]] std::int64_t moved_bytes() const { return read_bytes + written_bytes; }
    WorkDone& operator+=(const WorkDone& more) {
        flops += more.flops;
        read_bytes += more.read_bytes;
        written_bytes += more.written_bytes;
        return *this;
    }
};

/// The name of the operator that counts the time in which a step waits for its batch.
inline constexpr std::string_view data_operator = "Dataset";
/// The name of the operator that decodes examples in the thread that trains.
inline constexpr std::string_view decoding_operator = "_Decode";

/// Whether a step waits for data in the time of this operator.
inline bool is_of_data(std::string_view operator_name) {
    return operator_name == data_operator || operator_name == decoding_operator;
}

/// The name of the operator that counts the time in which a server waits for any worker's message.
inline constexpr std::string_view message_wait_operator = "_WaitForMessages";

/// One row of operators.csv: one operator of one node in one epoch. The totals of a node's rows add up to the
/// time of its steps.
struct OperatorRecord {
    std::int64_t node = 0;
    std::int64_t epoch = 0;  ///< counted from 1
    RunPhase phase = RunPhase::train;
    std::string operator_name;
    std::string name;
    /// If set: this operator ran inside that operator, and has no time of its own.
    std::optional<std::string> folded_into;
    std::int64_t calls = 0;
    double total_us = 0.0, mean_us = 0.0, p50_us = 0.0, p99_us = 0.0;
    std::optional<CommunicationTimes> communication;
    // Which of the operators of this name and layer it is; empty in the records of older versions. Of a
    // folded operator those of the operator that it ran in, of a kernel that a back-end added those of the
    // operator that it was added for.
    std::string pass = {};  ///< "forward", for instance
    std::string kind = {};  ///< "matmul_backprop_weight", for instance
    std::optional<WorkDone> work = {};
    bool operator==(const OperatorRecord&) const = default;
};

/// The calls of one operator in an epoch that is not over, for a checkpoint.
struct OperatorTimes {
    RunPhase phase = RunPhase::train;
    std::string operator_name;
    std::string name;
    double total_us = 0.0;
    std::vector<float> durations_us;  ///< duration of each call
    std::optional<CommunicationTimes> communication;
    std::string pass = {}, kind = {};  ///< as in OperatorRecord
    std::optional<WorkDone> work = {};
    bool operator==(const OperatorTimes&) const = default;
};

/// One row of steps.csv.
struct StepRecord {
    std::int64_t node = 0;
    std::int64_t epoch = 0;  ///< counted from 1
    std::int64_t step = 0;   ///< over the run, counted from 1
    double loss = 0.0;       ///< mean over this node's examples
    std::int64_t correct = 0;
    std::int64_t examples = 0;  ///< this node's share
    double step_us = 0.0, compute_us = 0.0;
    double wait_us = 0.0;  ///< for peers and for data
    /// The norm of all gradients before clipping. Absent if gradients are not clipped by this norm.
    std::optional<double> gradient_norm = {};
    /// The L2 term. It is minimised together with the loss, but is not a part of `loss`. Absent if the
    /// network has none.
    std::optional<double> penalty = {};
    /// The newest look at the node's core before the step (measure/core_looks.hpp). Absent in records of
    /// older versions.
    std::optional<double> core_look_us = {};
    bool operator==(const StepRecord&) const = default;
};

/// One row of updates.csv: one update that a parameter server made from one worker's gradients, where workers
/// do not wait for each other.
struct UpdateRecord {
    std::int64_t node = 0;       ///< the server
    std::int64_t update = 0;     ///< of this server over the run, counted from 1, in the order of arrival
    std::int64_t worker = 0;     ///< the node that computed the gradients
    std::int64_t step = 0;       ///< the worker's, over the run, counted from 1
    std::int64_t version = 0;    ///< updates in the values from which the worker computed the gradients
    std::int64_t staleness = 0;  ///< updates that the server made between these values and this update
    /// Steps that the worker had done more than the slowest worker, when the server sent it these values.
    std::int64_t ahead = 0;
    bool operator==(const UpdateRecord&) const = default;
};

/// Sums over some examples. They can be added over nodes and divided once at the end.
struct ScoreSums {
    double loss_sum = 0.0;
    std::int64_t correct = 0;
    std::int64_t examples = 0;
    bool operator==(const ScoreSums&) const = default;
};

/// The scores and times of one node in one epoch.
struct NodeEpochRecord {
    std::int64_t node = 0;
    std::int64_t epoch = 0;  ///< counted from 1
    ScoreSums train, validation, test;
    double train_s = 0.0, evaluate_s = 0.0;
    bool operator==(const NodeEpochRecord&) const = default;
};

/// One row of epochs.csv: scores over all nodes. Scores of data that were not evaluated are absent.
struct EpochRecord {
    std::int64_t epoch = 0;
    std::optional<double> train_loss, train_accuracy, validation_loss, validation_accuracy, test_loss,
        test_accuracy;
    double train_s = 0.0, evaluate_s = 0.0;  ///< of the slowest node
    bool operator==(const EpochRecord&) const = default;
};

/// One row of system.csv. The percentages of user and system time are of this process, relative to one core.
/// The percentages of idle and iowait, and machine_used_bytes, are of the whole machine.
struct SystemSample {
    std::int64_t node = 0;
    double time_s = 0.0;  ///< since the node began
    double cpu_user_pct = 0.0, cpu_system_pct = 0.0, cpu_iowait_pct = 0.0;
    std::uint64_t resident_bytes = 0;
    /// Since the node began, over its own connections. Absent: not known, as another library moves most of
    /// them.
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;
    std::optional<double> cpu_idle_pct = {};  ///< absent in the folders of older versions
    /// When it was read, on the clock of TraceSlice::start_us, for trace.json. It is in no CSV file.
    std::optional<double> clock_us = {};
    /// Memory that is not available to new programs. Absent in the folders of older versions.
    std::optional<std::uint64_t> machine_used_bytes = {};
    bool operator==(const SystemSample&) const = default;
};

/// How an exchange is carried out.
struct ExchangeWay {
    std::string verb;                       ///< "all_reduce", for instance
    std::string algorithm;                  ///< of an all-reduce: "ring", for instance; else empty
    std::string wire_type;                  ///< "float32", for instance; "int64" for exact sums
    std::int64_t ranks = 0;                 ///< that take part, this node among them
    std::optional<std::int64_t> peer = {};  ///< the other rank, or the root; absent for an all-reduce
    bool operator==(const ExchangeWay&) const = default;
};

/// The part of an exchange that a trace slice shows.
enum class ExchangePart : std::uint8_t { start, flight, wait };

/// The exchange of a trace slice.
struct SliceExchange {
    ExchangePart part = ExchangePart::start;
    /// Its number among the exchanges of this name, verb and peer, counted from 1 since the process began.
    /// All its ranks have the same number.
    std::int64_t call = 0;
    ExchangeWay way = {};
    /// Payload, of this node; 0 for a start. Absent: not known, as another library moved them.
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;
    double queued_us = 0.0;  ///< of a flight: behind this node's own exchanges
    double skew_us = 0.0;    ///< of a flight, behind queued_us: no peer had begun, see CommunicationTimes
    bool operator==(const SliceExchange&) const = default;
};

/// One slice of trace.json.
struct TraceSlice {
    std::int64_t node = 0;
    /// "compute"; "communication" for flights, which overlap with it; "step" for a whole step.
    std::string track;
    std::string operator_name;
    std::string name;
    std::int64_t step = 0;
    double start_us = 0.0;  ///< on the node's clock
    double duration_us = 0.0;
    std::int64_t epoch = 0;                     ///< counted from 1; 0 in the journals of older versions
    std::string pass = {};                      ///< as in OperatorRecord; empty for a step
    std::optional<std::int64_t> examples = {};  ///< of a step: this node's share
    std::optional<SliceExchange> exchange = {};
    bool operator==(const TraceSlice&) const = default;
};

/// The offset between a node's clock and the launcher's: launcher = node + offset. It is estimated at the
/// start and at the end of a run.
struct ClockOffset {
    double start_us = 0.0, end_us = 0.0;
    /// Round trip of the best probe; the error of the offset is at most half of it.
    double round_trip_us = 0.0;
    bool operator==(const ClockOffset&) const = default;
};

/// The time of each stage of a node's input pipeline, behind the reading of the files. Times of all threads
/// are counted.
struct InputTimes {
    double interleave_s = 0.0;  ///< putting training's examples in the order of files read in turn
    double prepare_s = 0.0;     ///< converting all examples ahead of training
    double shuffle_s = 0.0;     ///< the order of each epoch
    double batch_s = 0.0;       ///< choosing the examples of a batch
    /// Converting their values to floats; reading them from files if they are not in memory.
    double map_s = 0.0;
    double augment_s = 0.0;
    [[nodiscard]] double total() const {
        return interleave_s + prepare_s + shuffle_s + batch_s + map_s + augment_s;
    }
    bool operator==(const InputTimes&) const = default;
};

/// The part of a parameter that a node holds, where no node holds the whole: places of one axis, of `of`.
struct HeldPart {
    std::string parameter;
    std::int64_t first = 0, count = 0, of = 0;
    bool operator==(const HeldPart&) const = default;
};

/// The summary of a node's run, sent once at the end.
struct NodeSummary {
    std::int64_t node = 0;
    int threads = 1;
    double read_s = 0.0, preprocess_s = 0.0, train_s = 0.0, evaluate_s = 0.0, checkpoint_s = 0.0,
           total_s = 0.0;
    std::uint64_t peak_resident_bytes = 0;
    double cpu_user_s = 0.0, cpu_system_s = 0.0;
    /// Absent: not known, as another library moved most of them.
    std::optional<std::uint64_t> sent_bytes = 0, received_bytes = 0;
    std::int64_t steps = 0;
    ClockOffset clock;
    InputTimes input = {};  ///< preprocess_s, split into its stages
    /// Absent if the node did not begin to train, or is of an older version.
    std::optional<Contention> contention = {};
    /// By class, the training examples that the node takes in the first epoch. Empty if it reads no labels,
    /// or is of an older version.
    std::vector<std::int64_t> label_counts = {};
    /// The parameters of which the node holds a part. Empty if the strategy cuts none.
    std::vector<HeldPart> parts = {};
    /// Getting files of data from addresses, with the check of those that were there. 0 if the spec has no
    /// addresses, or of an older version.
    double fetch_s = 0.0;
    bool operator==(const NodeSummary&) const = default;
};

/// The records of one node for a part of its run. Parts are appended in the order in which they arrive.
struct NodeRecords {
    std::vector<OperatorRecord> operators;
    std::vector<StepRecord> steps;
    std::vector<NodeEpochRecord> epochs;
    std::vector<SystemSample> system;
    std::vector<TraceSlice> trace;
    std::vector<NodeSummary> summaries;
    std::vector<UpdateRecord> updates = {};
    bool operator==(const NodeRecords&) const = default;

    /// Moves all of other's records behind these.
    void append(NodeRecords&& other);
    /// Moves the first rows out, at most `most`. If all parts are appended in order, the result equals the
    /// original.
    NodeRecords take_first(std::size_t most);
    /// The number of rows of all kinds.
    [[nodiscard]] std::size_t rows() const;
    [[nodiscard]] bool empty() const { return rows() == 0; }
};

}  // namespace convoy
