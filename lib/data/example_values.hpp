#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "data/byte_source.hpp"

namespace convoy {

/// The values of a dataset's examples, from memory, a file or a generator. They never change.
class ExampleValues {
  public:
    ExampleValues() = default;
    ExampleValues(const ExampleValues&) = delete;
    ExampleValues& operator=(const ExampleValues&) = delete;
    ExampleValues(ExampleValues&&) = delete;
    ExampleValues& operator=(ExampleValues&&) = delete;
    virtual ~ExampleValues() = default;

    /// Writes one example, normalised, into `into`. Several threads may call it.
    virtual void read(std::uint32_t example, std::span<float> into) const = 0;
    /// Whether read() decodes rows of a file, as of HDF5, each time.
    [[nodiscard]] virtual bool decodes() const { return false; }
};

/// Converts bytes of an image to numbers in [0, 1]: byte * (1/255).
void normalise(std::span<const std::uint8_t> bytes, std::span<float> into);

/// Images as bytes in memory, one after the other.
class BytesInMemory final : public ExampleValues {
  public:
    /// example_bytes: the bytes of one image.
    BytesInMemory(std::vector<std::uint8_t> bytes, std::size_t example_bytes);
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    std::vector<std::uint8_t> bytes_;
    std::size_t example_bytes_;
};

/// Images as bytes in a file. They are read each time they are needed.
class BytesInFile final : public ExampleValues {
  public:
    /// offset: the first byte of the first image; the images follow one after the other.
    BytesInFile(ReadOnlyFile file, std::uint64_t offset);
    /// Throws DataError if the file has become shorter.
    void read(std::uint32_t example, std::span<float> into) const override;

  private:
    ReadOnlyFile file_;
    std::uint64_t offset_;
};

/// Some examples of other values, in an order of its own.
class Selected final : public ExampleValues {
  public:
    /// examples: for each example, its index in `values`.
    Selected(std::shared_ptr<const ExampleValues> values, std::vector<std::uint32_t> examples);
    void read(std::uint32_t example, std::span<float> into) const override;
    [[nodiscard]] bool decodes() const override { return values_->decodes(); }

  private:
    std::shared_ptr<const ExampleValues> values_;
    std::vector<std::uint32_t> examples_;
};

/// The inputs of examples side by side: each input has values of its own.
class SideBySide final : public ExampleValues {
  public:
    struct Part {
        std::shared_ptr<const ExampleValues> values;
        std::size_t count = 0;  ///< number of values of one example
    };
    explicit SideBySide(std::vector<Part> parts) : parts_(std::move(parts)) {}
    void read(std::uint32_t example, std::span<float> into) const override;
    [[nodiscard]] bool decodes() const override;

  private:
    std::vector<Part> parts_;
};

/// Other values, with a mean subtracted.
class WithoutMean final : public ExampleValues {
  public:
    /// mean: one number for each value of an example.
    WithoutMean(std::shared_ptr<const ExampleValues> values, std::vector<float> mean);
    void read(std::uint32_t example, std::span<float> into) const override;
    [[nodiscard]] bool decodes() const override { return values_->decodes(); }

  private:
    std::shared_ptr<const ExampleValues> values_;
    std::vector<float> mean_;
};

}  // namespace convoy
