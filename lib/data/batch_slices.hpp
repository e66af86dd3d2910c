#pragma once

#include "data/batch.hpp"

namespace convoy {

/// A batch in consecutive slices, one after the other, as micro-batches are. Refers to where the batches come
/// from, which must outlive it.
class BatchSlices final : public BatchSource {
  public:
    explicit BatchSlices(BatchSource& batches) : batches_(batches) {}

    /// How many examples the next slice has.
    void slice_by(std::int64_t examples) { size_ = examples; }
    /// The next slice of the batch; of the next batch where nothing is left of this one. A batch ends with
    /// the slice that reaches its end, which is smaller where slices do not divide it.
    Batch next() override;
    /// Examples of the batch that are in no slice yet.
    [[nodiscard]] std::int64_t left() const { return rest_.size(); }

  private:
    BatchSource& batches_;
    Batch rest_;
    std::int64_t size_ = 0;
};

}  // namespace convoy
