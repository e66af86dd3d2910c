#include "measure/core_looks.hpp"

#include <array>

namespace convoy {
namespace {

/// So many passes over so many values take about 5 us.
constexpr int passes = 64;
/// Volatile, so that every build loads and stores each value in each pass, one by one.
using Values = std::array<volatile float, 256>;

/// Each value is loaded, multiplied, added to and stored, and waits for no other value. So a core begins as
/// many operations at a time as it can, and any work of its other hardware thread takes some of them away.
void keep_core_busy(Values& values) {
    for (int pass = 0; pass < passes; ++pass)
        for (auto& value : values) value = value * 0.999F + 0.001F;
}

}  // namespace

Microseconds CoreLooks::newest() {
    const auto began = Clock::now();
    if (looked_at_ && began - *looked_at_ < spacing_) return took_;
    Values values{};
    keep_core_busy(values);
    looked_at_ = Clock::now();
    took_ = *looked_at_ - began;
    return took_;
}

}  // namespace convoy
