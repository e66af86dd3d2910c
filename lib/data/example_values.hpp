#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/byte_source.hpp"

namespace convoy {

/// Where the values of a dataset's examples come from: memory, a file, a generator. Never changes once it is
/// made.
class ExampleValues {
  public:
    ExampleValues() = default;
    ExampleValues(const ExampleValues&) = delete;
    ExampleValues& operator=(const ExampleValues&) = delete;
    ExampleValues(ExampleValues&&) = delete;
    ExampleValues& operator=(ExampleValues&&) = delete;
    virtual ~ExampleValues() = default;

    /// Writes one example, normalised. Safe from several threads.
    virtual void read(std::uint32_t example, std::span<float> into) const = 0;
};

/// A byte of a picture as a number in [0, 1]: byte * (1/255).
void normalise(std::span<const std::uint8_t> bytes, std::span<float> into);

/// Pictures as bytes in memory, one after the other.
class BytesInMemory final : public ExampleValues {
  public:
    /// example_bytes: of one picture.
    BytesInMemory(std::vector<std::uint8_t> bytes, std::size_t example_bytes);
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    std::vector<std::uint8_t> bytes_;
    std::size_t example_bytes_;
};

/// Pictures as bytes in a file, read each time they are needed.
class BytesInFile final : public ExampleValues {
  public:
    /// The pictures stand one after the other from offset on.
    BytesInFile(ReadOnlyFile file, std::uint64_t offset);
    /// Throws DataError where the file has become shorter.
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    ReadOnlyFile file_;
    std::uint64_t offset_;
};

/// Some of other values' examples, in an order of their own.
class Selected final : public ExampleValues {
  public:
    /// examples: the number in values of each.
    Selected(std::shared_ptr<const ExampleValues> values, std::vector<std::uint32_t> examples);
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    std::shared_ptr<const ExampleValues> values_;
    std::vector<std::uint32_t> examples_;
};

/// Several values of the same examples side by side, as the inputs of a network.
class SideBySide final : public ExampleValues {
  public:
    struct Part {
        std::shared_ptr<const ExampleValues> values;
        std::size_t count = 0;  ///< of an example
    };
    explicit SideBySide(std::vector<Part> parts) : parts_(std::move(parts)) {}
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    std::vector<Part> parts_;
};

/// Other values, less the same mean of each.
class WithoutMean final : public ExampleValues {
  public:
    /// mean: one value for each of an example.
    WithoutMean(std::shared_ptr<const ExampleValues> values, std::vector<float> mean);
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    std::shared_ptr<const ExampleValues> values_;
    std::vector<float> mean_;
};

}  // namespace convoy
