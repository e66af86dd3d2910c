#pragma once

#include "data/batch.hpp"

namespace convoy {

/// Cuts batches into consecutive slices (micro-batches). It refers to the source of the batches, which must
/// outlive it.
class BatchSlices final : public BatchSource {
  public:
    explicit BatchSlices(BatchSource& batches) : batches_(batches) {}

    /// Sets the number of examples of the next slices.
    void slice_by(std::int64_t examples) { size_ = examples; }
    /// The next slice of the batch. After the last slice of a batch comes the first slice of the next batch.
    /// The last slice is smaller if the slices do not divide the batch.
    Batch next() override;
    /// Examples of the batch that are in no slice yet.
    [[nodiscard]] std::int64_t left() const { return rest_.size(); }

  private:
    BatchSource& batches_;
    Batch rest_;
    std::int64_t size_ = 0;
};

}  // namespace convoy
