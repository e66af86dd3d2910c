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

/// The time of each stage that makes batches, in seconds.
struct StageTimes {
    double shuffle_s = 0.0;  ///< the order of each epoch, shuffled or not
    double batch_s = 0.0;    ///< choosing the examples of a batch and their labels
    double map_s = 0.0;      ///< converting examples to floats, from memory, file or store
    double augment_s = 0.0;
    [[nodiscard]] double total() const { return shuffle_s + batch_s + map_s + augment_s; }
    StageTimes& operator+=(const StageTimes& other);
};

/// Makes one rank's batches, one after the other: the shares of an EpochPlan, epoch after epoch, as floats. A
/// batch has the example numbers, and the parts that the dataset has.
class BatchMaker {
  public:
    /// The memory of one batch. Its vectors keep their memory between batches.
    struct Buffer {
        std::vector<float> values;
        std::vector<std::int32_t> labels;
        std::vector<std::uint32_t> examples;
        std::int64_t global_examples = 0;
        [[nodiscard]] Batch view() const { return {values, labels, examples, global_examples, {}}; }
    };

    /// dataset: absent if batches have example numbers only. first: number of the first batch, counted from 0
    /// over all epochs.
    BatchMaker(std::optional<Dataset> dataset, const EpochPlan& plan, std::int64_t rank,
               Augmentation augmentation, std::int64_t first = 0);
    /// An empty buffer with room for the largest share.
    [[nodiscard]] Buffer buffer() const;
    /// Makes the next batch, and returns the time of each stage. Throws the errors of Dataset::read.
    StageTimes make(Buffer& into);
    /// Whether map_s is time of decoding rows of a file.
    [[nodiscard]] bool decodes() const { return dataset_ && dataset_->decodes(); }

  private:
    void choose(Buffer& into);
    void map(Buffer& into) const;
    void augment(Buffer& into);
    [[nodiscard]] std::span<float> row(Buffer& into, std::size_t index) const;
    [[nodiscard]] bool has_values() const { return dataset_ && dataset_->has_values(); }
    [[nodiscard]] bool has_labels() const { return dataset_ && dataset_->has_labels(); }

    std::optional<Dataset> dataset_;
    EpochPlan plan_;
    std::int64_t rank_;
    std::size_t example_values_;  // 0 if values are absent
    Augmentation augmentation_;
    std::uint32_t epoch_ = 0;
    std::int64_t step_ = 0;             // in the epoch, of the next batch
    std::size_t position_ = 0;          // in order_, of the next batch
    std::vector<std::uint32_t> order_;  // of the epoch that the next batch is in; found when one is made
    std::optional<std::uint32_t> order_epoch_;  // empty shares have an empty order
};

/// The batches that an InputPipeline delivers.
struct PipelineRequest {
    std::int64_t rank = 0;
    std::int64_t batches = 0;  ///< number of batches over all epochs; no more are prepared
    int prefetch = 0;  ///< batches that a thread of the pipeline prepares ahead; 0: next() makes each batch
    AugmentationSpec augmentation = {};  ///< random changes of images
    std::uint64_t seed = 0;              ///< seed of the random changes
    std::int64_t first = 0;              ///< number of the first batch, counted from 0 over all epochs
};

/// Delivers one node's batches. The batches do not depend on `prefetch`. Memory is allocated at the start and
/// once in an epoch, never for a batch. Only one thread may call next().
class InputPipeline final : public BatchSource {
  public:
    /// dataset: see BatchMaker. The plan must be for the dataset's number of examples.
    InputPipeline(const std::optional<Dataset>& dataset, const EpochPlan& plan,
                  const PipelineRequest& request);
    InputPipeline(const InputPipeline&) = delete;
    InputPipeline& operator=(const InputPipeline&) = delete;
    InputPipeline(InputPipeline&&) = delete;
    InputPipeline& operator=(InputPipeline&&) = delete;
    ~InputPipeline() override;

    /// Throws the errors of making this batch, and InternalError after the last batch.
    Batch next() override;

    /// The time of making batches so far, in all threads, without waiting.
    [[nodiscard]] StageTimes times() const;

  private:
    StageTimes make(BatchMaker::Buffer& into);
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
