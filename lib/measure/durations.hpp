#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace convoy {

/// Figures of a set of durations, in the unit that went in. All are 0 where there is no duration.
struct DurationStatistics {
    std::int64_t calls = 0;
    double total = 0.0, mean = 0.0, p50 = 0.0, p99 = 0.0;
    bool operator==(const DurationStatistics&) const = default;
};

/// The value below which `share` (0 to 1) of the values lie, linearly interpolated between the two nearest
/// ranks: type 7 of Hyndman and Fan, "Sample quantiles in statistical packages", The American Statistician 50
/// (1996), and what numpy.percentile does unless told otherwise. `sorted` is in ascending order and not
/// empty.
double quantile(std::span<const float> sorted, double share);
double quantile(std::span<const double> sorted, double share);

/// Keeps every duration of one operator in one epoch, so that percentiles are exact. Each is held as a float
/// (7 digits: 10 ns in 0.1 s); the total is summed in double.
class Durations {
  public:
    /// Makes room for so many durations in all, so that add does not allocate.
    void reserve(std::size_t count) { values_.reserve(count); }
    void add(double duration) {
        values_.push_back(static_cast<float>(duration));
        total_ += duration;
    }
    /// Puts durations that were read off another, with their total, before those that are added.
    void restore(std::span<const float> durations, double total) {
        values_.assign(durations.begin(), durations.end());
        total_ = total;
    }
    /// Forgets all durations and keeps the room.
    void clear() {
        values_.clear();
        total_ = 0.0;
    }
    [[nodiscard]] std::int64_t calls() const { return static_cast<std::int64_t>(values_.size()); }
    [[nodiscard]] std::size_t capacity() const { return values_.capacity(); }
    [[nodiscard]] DurationStatistics statistics() const;
    /// As they were added; the total is of what they were before they became floats.
    [[nodiscard]] std::span<const float> values() const { return values_; }
    [[nodiscard]] double total() const { return total_; }

  private:
    std::vector<float> values_;
    double total_ = 0.0;
};

}  // namespace convoy
