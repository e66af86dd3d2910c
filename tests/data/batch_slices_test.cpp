#include "data/batch_slices.hpp"

#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

using namespace convoy;

namespace {

/// Batches of two values an example, with all values counted on from batch to batch.
class Counting final : public BatchSource {
  public:
    explicit Counting(std::vector<std::size_t> sizes) : sizes_(std::move(sizes)) {}
    Batch next() override {
        const auto size = sizes_.at(batch_++);
        images_.resize(2 * size);
        labels_.resize(size);
        examples_.resize(size);
        for (auto& value : images_) value = static_cast<float>(value_++);
        std::iota(labels_.begin(), labels_.end(), label_);
        std::iota(examples_.begin(), examples_.end(), static_cast<std::uint32_t>(label_));
        label_ += static_cast<std::int32_t>(size);
        return {.values = images_, .labels = labels_, .examples = examples_, .global_examples = 99};
    }

  private:
    std::vector<std::size_t> sizes_;
    std::size_t batch_ = 0;
    int value_ = 0;
    std::int32_t label_ = 0;
    std::vector<float> images_;
    std::vector<std::int32_t> labels_;
    std::vector<std::uint32_t> examples_;
};

}  // namespace

TEST_CASE("slices of batches follow one another, and end with their batch") {
    Counting batches({5, 0, 2});
    BatchSlices slices(batches);
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> left;
    std::int32_t label = 0;
    for (const std::int64_t wanted : {2, 2, 1, 0, 2}) {
        slices.slice_by(wanted);
        const auto slice = slices.next();
        sizes.push_back(slice.size());
        left.push_back(slices.left());
        CHECK(slice.values.size() == 2 * slice.labels.size());
        CHECK(slice.examples.size() == slice.labels.size());
        CHECK(slice.global_examples == 99);
        if (slice.size() == 0) continue;
        CHECK(slice.labels[0] == label);
        CHECK(slice.examples[0] == static_cast<std::uint32_t>(label));
        CHECK(slice.values[0] == 2.0F * static_cast<float>(label));
        label += static_cast<std::int32_t>(slice.size());
    }
    CHECK(sizes == std::vector<std::int64_t>{2, 2, 1, 0, 2});
    CHECK(left == std::vector<std::int64_t>{3, 1, 0, 0, 0});
}

TEST_CASE("a batch without values, labels or both is cut by its example numbers") {
    class NumbersOnly final : public BatchSource {
      public:
        NumbersOnly(bool values, bool labels) : values_(values ? 6 : 0), labels_(labels ? 3 : 0) {}
        Batch next() override {
            return {.values = values_, .labels = labels_, .examples = numbers_, .global_examples = 3};
        }

      private:
        std::vector<float> values_;
        std::vector<std::int32_t> labels_;
        std::vector<std::uint32_t> numbers_{7, 8, 9};
    };
    for (const bool values : {false, true}) {
        for (const bool labels : {false, true}) {
            NumbersOnly batches(values, labels);
            BatchSlices slices(batches);
            slices.slice_by(2);
            const auto first = slices.next();
            CHECK(first.size() == 2);
            CHECK(first.values.size() == (values ? 4 : 0));
            CHECK(first.labels.size() == (labels ? 2 : 0));
            const auto second = slices.next();
            CHECK(second.size() == 1);
            CHECK(second.examples[0] == 9);
            CHECK(second.values.size() == (values ? 2 : 0));
            CHECK(second.labels.size() == (labels ? 1 : 0));
            CHECK(slices.left() == 0);
        }
    }
}
