#include "measure/core_looks.hpp"

#include <array>

namespace convoy {
namespace {

/// So many passes over so many values take about 5 us.
constexpr int passes = 64;
using Values = std::array<float, 256>;

/// Each value is loaded, multiplied, added to and stored, and waits for no other value. So a core begins as
/// many operations at a time as it can, and any work of its other hardware thread takes some of them away.
/// Not inlined: the compiler must not turn the passes into a chain of calculations for each value, which
/// would only wait for itself.
[[gnu::noinline]] void keep_core_busy(Values& values) {
    for (auto& value : values) value = value * 0.999F + 0.001F;
}

}  // namespace

Microseconds CoreLooks::newest() {
    const auto began = Clock::now();
    if (looked_at_ && began - *looked_at_ < spacing_) return took_;
    Values values{};
    for (int pass = 0; pass < passes; ++pass) keep_core_busy(values);
    // The compiler may not leave out a calculation whose result is stored there.
    [[maybe_unused]] const volatile float result = values.front();
    looked_at_ = Clock::now();
    took_ = *looked_at_ - began;
    return took_;
}

}  // namespace convoy
