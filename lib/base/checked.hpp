#pragma once

#include <compare>
#include <cstdint>

#include "base/error.hpp"

namespace convoy {

/// A size that does not fit 64 bits.
class SizeError : public DataError {
  public:
    using DataError::DataError;
};

/// A number of elements, bytes or operations. A sum or product that does not fit 64 bits throws SizeError, so
/// that a size never wraps around.
class Checked {
  public:
    constexpr Checked(std::int64_t value = 0) : value_(value) {}

    [[nodiscard]] constexpr std::int64_t value() const { return value_; }
    [[nodiscard]] constexpr std::uint64_t unsigned_value() const {
        return static_cast<std::uint64_t>(value_);
    }

    friend constexpr Checked operator+(Checked a, Checked b) {
        std::int64_t sum = 0;
        if (__builtin_add_overflow(a.value_, b.value_, &sum)) fail();
        return sum;
    }
    friend constexpr Checked operator-(Checked a, Checked b) {
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(a.value_, b.value_, &difference)) fail();
        return difference;
    }
    friend constexpr Checked operator*(Checked a, Checked b) {
        std::int64_t product = 0;
        if (__builtin_mul_overflow(a.value_, b.value_, &product)) fail();
        return product;
    }
    constexpr Checked& operator+=(Checked more) { return *this = *this + more; }
    constexpr Checked& operator*=(Checked factor) { return *this = *this * factor; }
    friend constexpr auto operator<=>(const Checked&, const Checked&) = default;  // NOLINT: no pointer

  private:
    [[noreturn]] static void fail() { throw SizeError("a size that does not fit 64 bits"); }

    std::int64_t value_;
};

}  // namespace convoy
