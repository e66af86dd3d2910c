#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "data/example_values.hpp"
#include "spec/experiment_spec.hpp"

namespace convoy {

/// Memory for floats, zero at first. It is anonymous memory, or a file without a name in the system's folder
/// for temporary files; the system may write pages of such a file to disk and drop them. The destructor frees
/// it.
class FloatStore {
  public:
    /// Throws OutputError if there is no room on disk.
    FloatStore(std::size_t count, PreparedStore place);
    FloatStore(const FloatStore&) = delete;
    FloatStore& operator=(const FloatStore&) = delete;
    FloatStore(FloatStore&&) = delete;
    FloatStore& operator=(FloatStore&&) = delete;
    ~FloatStore();
    [[nodiscard]] std::span<float> values() const { return values_; }

  private:
    std::span<float> values_;
};

/// Examples that are converted once, and are then read as floats.
class PreparedValues final : public ExampleValues {
  public:
    /// Keeps the examples [first, first + count) of `source`, with `values` values each. They have the same
    /// numbers as in `source`. Throws as FloatStore.
    PreparedValues(std::shared_ptr<const ExampleValues> source, std::uint32_t first, std::uint32_t count,
                   std::size_t values, PreparedStore place);

    /// Converts all examples now. Throws the errors of `source`.
    void prepare_all() const;
    /// Converts the example if it is read for the first time. Throws the errors of `source`.
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    enum class State : std::uint8_t { raw, in_work, ready };

    [[nodiscard]] std::span<float> place_of(std::uint32_t index) const;

    std::shared_ptr<const ExampleValues> source_;
    std::uint32_t first_;
    std::uint32_t count_;
    std::size_t example_values_;
    FloatStore store_;
    std::unique_ptr<std::atomic<State>[]> states_;
};

}  // namespace convoy
