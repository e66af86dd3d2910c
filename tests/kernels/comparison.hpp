#pragma once

#include <span>
#include <string>

namespace convoy::test {

/// By how much of itself a value changes, at most, when it is rounded to bfloat16.
inline constexpr double bfloat16_rounding = 0x1.0p-8;

/// Largest difference of two tensors over the largest element of the expected one (over 1 where that is all
/// zeros, and never less than `least`). Infinite where sizes differ or a value is not a number.
double relative_difference(std::span<const float> found, std::span<const double> expected,
                           double least = 0.0);
double relative_difference(std::span<const float> found, std::span<const float> expected, double least = 0.0);

/// Keeps the largest of many differences and prints it, with its name, as one line when it goes.
class LargestDifference {
  public:
    explicit LargestDifference(std::string what) : what_(std::move(what)) {}
    LargestDifference(const LargestDifference&) = delete;
    LargestDifference& operator=(const LargestDifference&) = delete;
    LargestDifference(LargestDifference&&) = delete;
    LargestDifference& operator=(LargestDifference&&) = delete;
    ~LargestDifference();

    void add(const std::string& name, double difference);

  private:
    std::string what_;
    std::string name_;
    double largest_ = 0.0;
};

}  // namespace convoy::test
