#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "spec/all_reduce_spec.hpp"
#include "spec/calibration_spec.hpp"
#include "spec/cluster_spec.hpp"
#include "spec/dataset_spec.hpp"
#include "spec/fault_spec.hpp"
#include "spec/model_spec.hpp"
#include "spec/optimizer_spec.hpp"
#include "spec/sharding_spec.hpp"

namespace convoy {

/// How the training of a network is distributed over nodes (../strategy/strategies.cpp).
enum class StrategyName {
    local,
    ring_allreduce,
    local_sgd,
    independent,
    parameter_server,
    model_split,
    hybrid,
    filter_parallel
};
/// The way in which gradients are grouped into buckets.
enum class Bucketing { by_size, per_tensor, end_of_step };
/// The examples from which batch normalisation computes mean and variance.
enum class BatchNormStatistics { per_node, synchronised };
/// When parameters are updated: by_bucket, once the sum of its bucket is complete; by_step, once all sums of
/// the step are.
enum class CommitPoint { by_bucket, by_step };
/// The proportion in which nodes share a batch.
enum class BalanceBy { equal, speed, weights };
/// How large each node's share of a batch is.
struct BalanceSpec {
    BalanceBy by = BalanceBy::equal;
    std::vector<double> weights = {};  ///< by weights: one for each node, positive; else empty
    bool operator==(const BalanceSpec&) const = default;
};
/// The rule by which nodes share the kernels of a convolution.
enum class SharesBy { optimal, published, weights };
/// How many kernels of a convolution each node has, with the strategy filter_parallel.
struct SharesSpec {
    SharesBy by = SharesBy::optimal;
    std::vector<double> weights = {};  ///< by weights: one for each node, the first positive; else empty
    bool operator==(const SharesSpec&) const = default;
};
/// The stages of model_split.
struct StagesSpec {
    std::vector<std::vector<std::string>> layers = {};  ///< by node, the names of its layers
    std::int64_t count = 0;  ///< of stages whose layers convoy chooses; 0: `layers` has them
    [[nodiscard]] bool empty() const { return layers.empty() && count == 0; }
    bool operator==(const StagesSpec&) const = default;
};

/// The order in which each stage of model_split works on the micro-batches of a step.
///
/// * fill_drain: all forward passes, then all backward passes (GPipe)
/// * one_forward_one_backward: a backward pass as soon as the stages behind allow it (PipeDream-flush)
/// * zero_bubble: the same, and gradients of weights where the stage would wait (ZB-H1, Qi et al. 2023)
enum class PipelineSchedule : std::uint8_t { fill_drain, one_forward_one_backward, zero_bubble };
/// A strategy with its options. fields_without_effect tells which options a strategy ignores.
struct StrategySpec {
    StrategyName name = StrategyName::ring_allreduce;
    bool overlap = true;  ///< sum a bucket while the backward pass runs
    /// With overlap: continue the sum of a bucket during the next step's forward pass, until a layer needs
    /// its parameters.
    bool overlap_forward = false;
    /// by_step: no trained parameter changes before all sums of the step have arrived (with parameter
    /// servers: all sums of that server).
    CommitPoint commit = CommitPoint::by_bucket;
    Bucketing bucketing = Bucketing::by_size;
    std::int64_t bucket_bytes = 1 << 20;  ///< by_size: a bucket is closed when it has at least this size
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    /// Absent: automatic uses built-in sizes, see choose_algorithm.
    std::optional<AllReduceCalibration> calibration = {};
    std::int64_t segment_bytes = 1 << 18;  ///< what is sent, received and added at a time
    WireType wire_type = WireType::float32;
    TopKSpec top_k = {};  ///< for wire_type top_k
    /// synchronised: from the whole batch, over all nodes. This needs two more small sums for each
    /// normalisation.
    BatchNormStatistics batch_norm_statistics = BatchNormStatistics::per_node;
    std::int64_t connections = 1;    ///< connections to each peer; buckets use them in turn
    std::int64_t average_every = 8;  ///< local_sgd: steps between two averages of the nodes' weights
    /// Parameter_server: number of servers beside the nodes, which are the workers.
    std::int64_t servers = 1;
    /// parameter_server: the most bytes of gradients that one push moves, and one pull of new values. Absent:
    /// by the rate of the links.
    std::optional<std::int64_t> slice_bytes = {};
    /// parameter_server: the most steps that a worker may be ahead of the slowest. 0: all workers take each
    /// step together. Absent: any number.
    std::optional<std::int64_t> staleness = 0;
    StagesSpec stages = {};  ///< model_split
    /// model_split: groups of nodes of which each has all stages. Each group trains on its part of a batch.
    std::int64_t replicas = 1;
    std::int64_t micro_batches = 1;  ///< model_split: of a replica's part of a batch
    PipelineSchedule schedule = PipelineSchedule::fill_drain;  ///< model_split, of its micro-batches
    /// hybrid: the names of the dense layers that are cut. Absent: those that then move fewer bytes.
    std::optional<std::vector<std::string>> cut_layers = {};
    BalanceSpec balance = {};
    SharesSpec shares = {};  ///< filter_parallel
    /// filter_parallel: the parts of a batch that follow one another through a shared convolution.
    std::int64_t sub_batches = 1;
    bool operator==(const StrategySpec&) const = default;
};

/// Whether the nodes' steps run apart, so that a run does not end with the same bits each time.
inline bool is_asynchronous(const StrategySpec& strategy) {
    return strategy.name == StrategyName::parameter_server && strategy.staleness != 0;
}

enum class ScheduleName { constant, step, cosine };
/// The learning rate over a run. lib/train/learning_rate.hpp has the formulas.
struct ScheduleSpec {
    ScheduleName name = ScheduleName::constant;
    double warm_up_epochs = 0.0;     ///< epochs in which it rises linearly from 0
    bool scale_by_nodes = false;     ///< multiply it by the number of nodes, if batch_size grows with them
    std::int64_t every_epochs = 30;  ///< step: epochs between two changes
    double factor = 0.1;             ///< step: factor of each change
    double final_factor = 0.0;       ///< cosine: factor at the end
    bool operator==(const ScheduleSpec&) const = default;
};

/// Ends training when the validation loss has not improved for `patience` epochs.
struct EarlyStoppingSpec {
    std::optional<std::int64_t> patience;  ///< absent: training does not end early
    double min_improvement = 0.0;          ///< an improvement lowers the loss by more than this
    bool operator==(const EarlyStoppingSpec&) const = default;
};

/// The split on which an accuracy is measured.
enum class EvaluatedSplit { validation, test };
/// The accuracy that the network must reach. The time until it first reaches it is its time to accuracy.
struct TargetSpec {
    double accuracy = 1.0;  ///< a share of the split's examples, in (0, 1]
    EvaluatedSplit split = EvaluatedSplit::test;
    bool stop = true;  ///< training ends when it is reached
    bool operator==(const TargetSpec&) const = default;
};

/// The checkpoints of a run, from which it can continue after it was killed.
struct CheckpointSpec {
    std::int64_t every_steps = 0;  ///< training steps between two checkpoints, counted over the run
    std::int64_t keep = 2;         ///< number of newest checkpoints that are kept
    bool operator==(const CheckpointSpec&) const = default;
};

/// What a run does when it loses a node.
///
/// * abort: it ends
/// * restart: it ends all nodes, and goes on with new processes from the newest checkpoint, or from the
///   beginning if there is none
/// * shrink: it goes on with the other nodes, in their processes, from the last step that was committed
enum class FailurePolicy : std::uint8_t { abort, restart, shrink };
/// How a run goes on after it lost a node, and how soon a silent node is lost.
struct FailureSpec {
    FailurePolicy policy = FailurePolicy::abort;
    /// shrink: another process is started in the place of a lost node, and joins the run.
    bool grow = false;
    /// restart: the most restarts in a row that go on from the same step. grow: the most processes in a row
    /// that are started for one place, and do not join. shrink: the most times that all nodes go on from the
    /// same step, after they lost each other.
    std::int64_t restarts = 3;
    /// The time between two pings. A node that leaves one without an answer for such a time is lost. Absent:
    /// a node is lost that is silent for the deadline.
    std::optional<double> heartbeat_s = {};
    bool operator==(const FailureSpec&) const = default;
};

/// Random changes of training images, different in each epoch.
struct AugmentationSpec {
    /// The largest shift in pixels, in each direction. Pixels of the border fill the gap.
    std::int64_t shift = 0;
    bool flip = false;  ///< half of the images are mirrored, left to right
    bool operator==(const AugmentationSpec&) const = default;
};

/// The way in which several files are read in turn (lib/data/interleave.hpp).
struct InterleaveSpec {
    std::int64_t cycle_length = 0;  ///< files that are open at a time; 1: one file after the other
    std::int64_t block_length = 1;  ///< examples from one file in each turn
    bool operator==(const InterleaveSpec&) const = default;
};

/// The time at which examples are converted to floats for training.
enum class Prepare {
    each_time,    ///< for each batch
    ahead,        ///< all of them, before training
    first_epoch,  ///< when they are first read, and kept
};
/// The place of converted examples.
enum class PreparedStore { memory, disk };
struct InputPipelineSpec {
    /// Keep the examples' bytes in memory; false: read them from their files for each batch.
    bool cache = true;
    /// Order of the training files; absent: one after the other.
    std::optional<InterleaveSpec> interleave = {};
    Prepare prepare = Prepare::each_time;
    PreparedStore store = PreparedStore::memory;
    bool shuffle = true;
    int prefetch = 2;  ///< batches prepared ahead of training; 0: each is prepared when training needs it
    AugmentationSpec augmentation = {};
    bool operator==(const InputPipelineSpec&) const = default;
};

enum class KernelLibrary { xtensor, onednn };
enum class ConvolutionAlgorithm { automatic, direct };
enum class ParameterLayout { automatic, plain };
enum class ComputeType { float32, bfloat16 };
/// The library that computes operators, and how operators and parameters are laid out for it.
struct KernelSpec {
    KernelLibrary name = KernelLibrary::onednn;
    bool fusion = true;
    ConvolutionAlgorithm convolution = ConvolutionAlgorithm::automatic;
    /// Plain: for clusters with different processors.
    ParameterLayout parameter_layout = ParameterLayout::automatic;
    /// The type of activations, their gradients, and the weights that products read. Parameters, their
    /// gradients, statistics, loss and optimizer state are always float32.
    ComputeType compute_type = ComputeType::float32;
    /// Compute the results of batch normalisation again for the backward pass, instead of keeping them.
    bool recompute = false;
    bool operator==(const KernelSpec&) const = default;
};

/// The largest number of compute threads of one process.
inline constexpr int most_threads = 1024;

/// The settings of one node. Nodes of one experiment may differ.
struct NodeSpec {
    /// Compute threads; absent: cores / local nodes, from 1 to most_threads, or 1 with micro-batches.
    std::optional<int> threads = {};
    std::optional<std::int64_t> host = {};   ///< emulated host, from 0; absent: see ClusterSpec::host_of
    std::optional<KernelSpec> kernels = {};  ///< absent: the kernels of the experiment
    bool operator==(const NodeSpec&) const = default;
};

/// The steps of each epoch that trace.json shows.
struct TraceStepsSpec {
    std::int64_t from = 1;    ///< the first of them, counted from 1 in each epoch
    std::int64_t count = 20;  ///< their number; 0: none
    bool operator==(const TraceStepsSpec&) const = default;
};

/// What a run measures beside the times of its operators.
struct MeasureSpec {
    double sample_interval_s = 0.2;  ///< seconds between two readings of /proc
    /// Absent: as trace_steps_of chooses them.
    std::optional<TraceStepsSpec> trace_steps = {};
    bool operator==(const MeasureSpec&) const = default;
};

/// The largest number of micro-batches in one batch, over all nodes.
inline constexpr std::int64_t most_micro_batches = 1024;

/// An experiment from its JSON, with all defaults filled in. Field names, types and defaults are those of
/// experiments/schema.json.
struct ExperimentSpec {
    std::string name = "experiment";
    DatasetSpec dataset;
    ModelSpec model;
    std::vector<NodeSpec> nodes{NodeSpec{}};
    std::optional<ClusterSpec> cluster;  ///< absent: the nodes are processes side by side on this machine
    /// The measurements of these nodes, or the path of a file with them, which load_spec reads. Absent: only
    /// the limits of the cluster are known.
    std::optional<std::variant<std::string, CalibrationSpec>> calibration = {};
    std::int64_t batch_size = 32;  ///< global: the sum over nodes
    /// The number of examples in a micro-batch. Gradients of micro-batches are summed exactly, so losses and
    /// weights do not depend on the number of nodes. Absent: a node computes its whole share at once.
    std::optional<std::int64_t> micro_batch_size;
    std::int64_t epochs = 1;
    std::optional<std::int64_t> max_steps;  ///< training steps of the run at most; 0: no training
    std::uint64_t seed = 1;
    OptimizerSpec optimizer = Adadelta{};
    std::optional<GradientClipping> gradient_clipping;  ///< absent: gradients are not clipped
    ScheduleSpec schedule;
    EarlyStoppingSpec early_stopping;
    std::optional<TargetSpec> target;
    StrategySpec strategy;
    ShardingSpec sharding;
    InputPipelineSpec input_pipeline;
    KernelSpec kernels;
    MeasureSpec measure;
    std::optional<CheckpointSpec> checkpoints;  ///< absent: none
    double deadline_s = 30.0;                   ///< a peer that is silent for this time is lost
    FailureSpec failures;
    FaultsSpec faults;
    std::optional<std::string> initial_weights;  ///< a safetensors file with the initial weights
    bool operator==(const ExperimentSpec&) const = default;

    [[nodiscard]] std::int64_t world_size() const { return static_cast<std::int64_t>(nodes.size()); }
    /// The nodes, and the servers that a strategy adds.
    [[nodiscard]] std::int64_t rank_count() const {
        return world_size() + (strategy.name == StrategyName::parameter_server ? strategy.servers : 0);
    }
    [[nodiscard]] const NodeSpec& node(std::int64_t rank) const {
        return nodes.at(static_cast<std::size_t>(rank));
    }
    /// The kernels of a rank's node.
    [[nodiscard]] const KernelSpec& kernels_of(std::int64_t rank) const {
        return rank < world_size() && node(rank).kernels ? *node(rank).kernels : kernels;
    }
    /// The calibration, after it was read; null if there is none.
    [[nodiscard]] const CalibrationSpec* measured() const {
        return calibration ? std::get_if<CalibrationSpec>(&*calibration) : nullptr;
    }
    /// The number of hosts; 1 without emulated hosts.
    [[nodiscard]] std::int64_t host_count() const { return cluster ? cluster->hosts_for(world_size()) : 1; }
    /// The host of a rank, from 0; it is 0 without emulated hosts. Ranks that a strategy adds are put on the
    /// hosts beyond the number of nodes in turn, or, if there are none, on the hosts of the nodes in turn.
    [[nodiscard]] std::int64_t host_of(std::int64_t rank) const {
        if (!cluster) return 0;
        const auto added = rank - world_size();
        if (const auto own = host_count() - world_size(); added >= 0 && own > 0)
            return world_size() + added % own;
        if (added >= 0) return added % host_count();
        return node(rank).host.value_or(cluster->host_of(rank, world_size()));
    }
};

}  // namespace convoy
