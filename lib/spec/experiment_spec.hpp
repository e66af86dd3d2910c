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
#include "spec/model_spec.hpp"
#include "spec/optimizer_spec.hpp"

namespace convoy {

enum class StrategyName { local, ring_allreduce, local_sgd, independent, parameter_server, model_split };
/// How gradients are put together into buckets.
enum class Bucketing { by_size, per_tensor, end_of_step };
/// Of which examples batch normalisation takes mean and variance.
enum class BatchNormStatistics { per_node, synchronised };
enum class CommitPoint { by_bucket, by_step };
struct StrategySpec {
    StrategyName name = StrategyName::ring_allreduce;
    bool overlap = true;  ///< reduce a bucket while backward goes on
    /// With overlap: go on reducing it during the next step's forward pass, until a layer wants its
    /// parameters.
    bool overlap_forward = false;
    /// by_step: no parameter changes before all sums of the step have arrived, so that a node that is lost
    /// leaves the others with whole steps.
    CommitPoint commit = CommitPoint::by_bucket;
    Bucketing bucketing = Bucketing::by_size;
    std::int64_t bucket_bytes = 1 << 20;  ///< by_size: a bucket closes once it holds at least so much
    AllReduceAlgorithm algorithm = AllReduceAlgorithm::automatic;
    std::optional<AllReduceCalibration> calibration =
        {};                                ///< absent: automatic goes by sizes known beforehand
    std::int64_t segment_bytes = 1 << 18;  ///< what is sent, received and added at a time
    WireType wire_type = WireType::float32;
    TopKSpec top_k = {};  ///< with that wire_type
    /// synchronised: of the whole batch, over all nodes, for two small sums more for each normalisation.
    BatchNormStatistics batch_norm_statistics = BatchNormStatistics::per_node;
    std::int64_t connections = 1;    ///< to each peer; buckets take them in turn
    std::int64_t average_every = 8;  ///< local_sgd: steps between two averages of the nodes' weights
    std::int64_t servers = 1;        ///< parameter_server: beside the nodes, which are the workers
    std::vector<std::vector<std::string>> stages = {};  ///< model_split: by node, the names of its layers
    bool operator==(const StrategySpec&) const = default;
};

enum class ScheduleName { constant, step, cosine };
/// How the learning rate goes over a run; lib/train/learning_rate.hpp has the formulas.
struct ScheduleSpec {
    ScheduleName name = ScheduleName::constant;
    double warm_up_epochs = 0.0;     ///< in which it rises from 0, linearly
    bool scale_by_nodes = false;     ///< times the number of nodes: for a batch_size that grows with them
    std::int64_t every_epochs = 30;  ///< step: so often
    double factor = 0.1;             ///< step: it is multiplied by this
    double final_factor = 0.0;       ///< cosine: where it ends
    bool operator==(const ScheduleSpec&) const = default;
};

/// Training ends once the validation loss has not improved for `patience` epochs.
struct EarlyStoppingSpec {
    std::optional<std::int64_t> patience;  ///< absent: training does not end early
    double min_improvement = 0.0;          ///< of the loss, to count as one
    bool operator==(const EarlyStoppingSpec&) const = default;
};

/// The split that an accuracy is of.
enum class EvaluatedSplit { validation, test };
/// How well the network has to do: the time until it first does is its time to accuracy.
struct TargetSpec {
    double accuracy = 1.0;  ///< a share of the split's examples, in (0, 1]
    EvaluatedSplit split = EvaluatedSplit::test;
    bool stop = true;  ///< training ends once it is reached
    bool operator==(const TargetSpec&) const = default;
};

/// What a run keeps so that it can go on after it was killed.
struct CheckpointSpec {
    std::int64_t every_steps = 0;  ///< of training, counted over the run
    std::int64_t keep = 2;         ///< the newest so many
    bool operator==(const CheckpointSpec&) const = default;
};

enum class ShardingScheme { global_batch, contiguous };
struct ShardingSpec {
    ShardingScheme scheme = ShardingScheme::global_batch;
    bool operator==(const ShardingSpec&) const = default;
};

/// How the images that are trained on are varied, each time anew.
struct AugmentationSpec {
    std::int64_t shift =
        0;  ///< by up to so many pixels, down or up and right or left; the border's pixels fill in
    bool flip = false;  ///< half of the images are mirrored, left to right
    bool operator==(const AugmentationSpec&) const = default;
};

/// How several files are read in turn (lib/data/interleave.hpp).
struct InterleaveSpec {
    std::int64_t cycle_length = 0;  ///< files that are open at a time; 1 reads one behind the other
    std::int64_t block_length = 1;  ///< examples of one before the next has its turn
    bool operator==(const InterleaveSpec&) const = default;
};

/// When examples are converted to the floats that training takes.
enum class Prepare {
    each_time,    ///< for each batch that they are in
    ahead,        ///< all of them, before training
    first_epoch,  ///< when they are first read, and kept
};
/// Where converted examples are kept.
enum class PreparedStore { memory, disk };
struct InputPipelineSpec {
    bool cache = true;  ///< keep the examples' bytes in memory; false reads them from file for each batch
    std::optional<InterleaveSpec> interleave = {};  ///< of training's files; absent: one behind the other
    Prepare prepare = Prepare::each_time;
    PreparedStore store = PreparedStore::memory;
    bool shuffle = true;
    int prefetch = 2;  ///< batches prepared ahead of the trainer; 0 prepares each when it is asked for
    AugmentationSpec augmentation = {};
    bool operator==(const InputPipelineSpec&) const = default;
};

enum class KernelLibrary { xtensor, onednn };
enum class ConvolutionAlgorithm { automatic, direct };
enum class ParameterLayout { automatic, plain };
enum class ComputeType { float32, bfloat16 };
struct KernelSpec {
    KernelLibrary name = KernelLibrary::onednn;
    bool fusion = true;
    ConvolutionAlgorithm convolution = ConvolutionAlgorithm::automatic;
    ParameterLayout parameter_layout =
        ParameterLayout::automatic;  ///< plain: for clusters of unlike processors
    /// Of activations, their gradients and the weights that products read. Parameters themselves, their
    /// gradients, statistics, loss and optimizer are float32 always.
    ComputeType compute_type = ComputeType::float32;
    /// Batch normalisation's results are computed again for the backward pass instead of kept.
    bool recompute = false;
    bool operator==(const KernelSpec&) const = default;
};

/// What a node is given. Nodes of one experiment may differ.
struct NodeSpec {
    /// Compute threads; absent: max(1, cores / local nodes), or 1 with micro-batches.
    std::optional<int> threads = {};
    std::optional<std::int64_t> host = {};   ///< emulated, from 0; absent: see ClusterSpec::host_of
    std::optional<KernelSpec> kernels = {};  ///< absent: those of the experiment
    bool operator==(const NodeSpec&) const = default;
};

struct MeasureSpec {
    double sample_interval_s = 0.2;  ///< between two readings of /proc
    std::int64_t trace_steps = 20;   ///< steps of each epoch that trace.json shows; 0: none
    bool operator==(const MeasureSpec&) const = default;
};

/// Of one batch, over all nodes.
inline constexpr std::int64_t most_micro_batches = 1024;

/// An experiment as its JSON says it, every default filled in. Field names, types and defaults are those of
/// experiments/schema.json.
struct ExperimentSpec {
    std::string name = "experiment";
    DatasetSpec dataset;
    ModelSpec model;
    std::vector<NodeSpec> nodes{NodeSpec{}};
    std::optional<ClusterSpec> cluster;  ///< absent: the nodes are processes side by side on this machine
    /// What was measured on these nodes, or the path of a file that holds it, which load_spec reads. Absent:
    /// nothing is known but what the cluster says.
    std::optional<std::variant<std::string, CalibrationSpec>> calibration = {};
    std::int64_t batch_size = 32;  ///< global: the sum over nodes
    /// Examples that a node works off at a time: its gradients of a batch are then added up exactly, in
    /// whatever order, and losses and weights do not depend on the number of nodes. Absent: whole shares.
    std::optional<std::int64_t> micro_batch_size;
    std::int64_t epochs = 1;
    std::optional<std::int64_t> max_steps;  ///< ends training after so many steps, 0 trains none
    std::uint64_t seed = 1;
    OptimizerSpec optimizer = Adadelta{};
    std::optional<GradientClipping> gradient_clipping;  ///< absent: gradients are taken as they are
    ScheduleSpec schedule;
    EarlyStoppingSpec early_stopping;
    std::optional<TargetSpec> target;
    StrategySpec strategy;
    ShardingSpec sharding;
    InputPipelineSpec input_pipeline;
    KernelSpec kernels;
    MeasureSpec measure;
    std::optional<CheckpointSpec> checkpoints;   ///< absent: none
    double deadline_s = 30.0;                    ///< a peer that says nothing for so long is lost
    std::optional<std::string> initial_weights;  ///< a safetensors file to start from
    bool operator==(const ExperimentSpec&) const = default;

    [[nodiscard]] std::int64_t world_size() const { return static_cast<std::int64_t>(nodes.size()); }
    [[nodiscard]] const NodeSpec& node(std::int64_t rank) const {
        return nodes.at(static_cast<std::size_t>(rank));
    }
    /// The kernels that a rank's node computes with.
    [[nodiscard]] const KernelSpec& kernels_of(std::int64_t rank) const {
        return rank < world_size() && node(rank).kernels ? *node(rank).kernels : kernels;
    }
    /// The calibration, once it is read; null where there is none.
    [[nodiscard]] const CalibrationSpec* measured() const {
        return calibration ? std::get_if<CalibrationSpec>(&*calibration) : nullptr;
    }
    /// How many hosts the nodes are on: 1 without emulated hosts.
    [[nodiscard]] std::int64_t host_count() const { return cluster ? cluster->hosts_for(world_size()) : 1; }
    /// The host, from 0, that a rank is on: 0 without emulated hosts. Ranks that a strategy adds to the nodes
    /// share the hosts of the nodes, one after the other.
    [[nodiscard]] std::int64_t host_of(std::int64_t rank) const {
        if (!cluster) return 0;
        if (rank >= world_size()) return (rank - world_size()) % host_count();
        return node(rank).host.value_or(cluster->host_of(rank, world_size()));
    }
};

}  // namespace convoy
