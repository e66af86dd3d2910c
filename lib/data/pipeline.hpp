#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "data/augmentation.hpp"
#include "data/batch.hpp"
#include "data/dataset.hpp"
#include "data/sharding.hpp"

namespace convoy {

/// Time that batches took to be made, stage by stage, in seconds.
struct StageTimes {
    double shuffle_s = 0.0;  ///< the order of each epoch, drawn or not
    double batch_s = 0.0;    ///< which examples are in a batch, with their labels
    double map_s = 0.0;      ///< examples to floats, from wherever they are: memory, file or store
    double augment_s = 0.0;
    [[nodiscard]] double total() const { return shuffle_s + batch_s + map_s + augment_s; }
    StageTimes& operator+=(const StageTimes& other);
};

/// One rank's batches, made one after the other: the shares of an EpochPlan, epoch after epoch, as floats.
class BatchMaker {
  public:
    /// Where a batch is made; its vectors keep their memory from batch to batch.
    struct Buffer {
        std::vector<float> values;
        std::vector<std::int32_t> labels;
        std::vector<std::uint32_t> examples;
        std::int64_t global_examples = 0;
        [[nodiscard]] Batch view() const { return {values, labels, examples, global_examples}; }
    };

    /// first: the batch to begin with, counted from 0 over all epochs.
    BatchMaker(Dataset dataset, const EpochPlan& plan, std::int64_t rank, Augmentation augmentation,
               std::int64_t first = 0);
    /// An empty buffer with room for the largest share.
    [[nodiscard]] Buffer buffer() const;
    /// Makes the next batch, and says how long each stage took. Throws what Dataset::read throws.
    StageTimes make(Buffer& into);

  private:
    void choose(Buffer& into);
    void map(Buffer& into) const;
    void augment(Buffer& into);
    [[nodiscard]] std::span<float> row(Buffer& into, std::size_t index) const;

    Dataset dataset_;
    EpochPlan plan_;
    std::int64_t rank_;
    std::size_t example_values_;
    Augmentation augmentation_;
    std::uint32_t epoch_ = 0;
    std::int64_t step_ = 0;             // in the epoch, of the next batch
    std::size_t position_ = 0;          // in order_, of the next batch
    std::vector<std::uint32_t> order_;  // of the epoch that the next batch is in; found when one is made
};

/// What an InputPipeline has to deliver.
struct PipelineRequest {
    std::int64_t rank = 0;
    std::int64_t batches = 0;  ///< to deliver, over epochs: nothing is prepared beyond
    int prefetch =
        0;  ///< batches prepared ahead in a thread of the pipeline's own; 0: each when it is asked for
    AugmentationSpec augmentation = {};  ///< how images are varied
    std::uint64_t seed = 0;              ///< of that
    std::int64_t first = 0;              ///< batch to deliver, counted from 0 over all epochs
};

/// One node's batches, from the first that is asked for on; the same in number and in kind whatever prefetch
/// is. Memory is allocated at the start and once per epoch, never per batch. One thread may call next().
class InputPipeline final : public BatchSource {
  public:
    /// The plan must be one for the dataset's number of examples.
    InputPipeline(const Dataset& dataset, const EpochPlan& plan, const PipelineRequest& request);
    InputPipeline(const InputPipeline&) = delete;
    InputPipeline& operator=(const InputPipeline&) = delete;
    InputPipeline(InputPipeline&&) = delete;
    InputPipeline& operator=(InputPipeline&&) = delete;
    ~InputPipeline() override;

    /// Throws what went wrong in preparing this batch, and InternalError beyond the last one.
    Batch next() override;

    /// Time spent making batches so far, in whichever thread; waiting is not in it.
    [[nodiscard]] StageTimes times() const;

  private:
    void make(BatchMaker::Buffer& into);
    void prepare_all(const std::stop_token& stop);

    BatchMaker maker_;
    std::int64_t batches_;
    std::vector<BatchMaker::Buffer> ring_;  // batch i is made in ring_[i mod size]

    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    std::int64_t made_ = 0;   // batches that are ready or were taken
    std::int64_t taken_ = 0;  // batches that were asked for; the last of them is still in use
    std::exception_ptr failure_;
    StageTimes times_;
    std::optional<std::jthread> thread_;  // last: it ends before what it uses
};

}  // namespace convoy
