#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace convoy {

/// Statistics of a set of durations, in the unit of the durations. All are 0 for an empty set.
struct DurationStatistics {
    std::int64_t calls = 0;
    double total = 0.0, mean = 0.0, p05 = 0.0, p50 = 0.0, p99 = 0.0;
    bool operator==(const DurationStatistics&) const = default;
};

/// The value below which `share` (0 to 1) of the values lie, linearly interpolated between the two nearest
/// ranks: type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50
/// (1996), and the default of numpy.percentile. `sorted` is in ascending order and not empty.
double quantile(std::span<const float> sorted, double share);
double quantile(std::span<const double> sorted, double share);
/// The quantile 0.5 of values in any order, of which there is at least one.
double median(std::vector<double> values);

/// Keeps all durations of one operator in one epoch, so percentiles are exact. Each duration is a float (7
/// digits: 10 ns in 0.1 s). The total is summed in double.
class Durations {
  public:
    /// Makes room for `count` durations in total, so that add does not allocate.
    void reserve(std::size_t count) { values_.reserve(count); }
    void add(double duration) {
        values_.push_back(static_cast<float>(duration));
        total_ += duration;
    }
    /// Replaces all durations by those of another object, with their total. Later calls of add continue with
    /// them.
    void restore(std::span<const float> durations, double total) {
        values_.assign(durations.begin(), durations.end());
        total_ = total;
    }
    /// Removes all durations and keeps the memory.
    void clear() {
        values_.clear();
        total_ = 0.0;
    }
    [[nodiscard]] std::int64_t calls() const { return static_cast<std::int64_t>(values_.size()); }
    [[nodiscard]] std::size_t capacity() const { return values_.capacity(); }
    [[nodiscard]] DurationStatistics statistics() const;
    /// The durations in the order of add, and (total) their sum before they were rounded to floats.
    [[nodiscard]] std::span<const float> values() const { return values_; }
    [[nodiscard]] double total() const { return total_; }

  private:
    std::vector<float> values_;
    double total_ = 0.0;
};

}  // namespace convoy
