#include "data/example_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/cpu_versions.hpp"
#include "base/error.hpp"

namespace convoy {

void normalise(std::span<const std::uint8_t> bytes, std::span<float> into) {
    constexpr float scale = 1.0F / 255.0F;
    in_cpu_version([bytes, into] {
        for (std::size_t i = 0; i < bytes.size(); ++i) into[i] = static_cast<float>(bytes[i]) * scale;
    });
}

BytesInMemory::BytesInMemory(std::vector<std::uint8_t> bytes, std::size_t example_bytes)
    : bytes_(std::move(bytes)), example_bytes_(example_bytes) {}

void BytesInMemory::read(std::uint32_t example, std::span<float> into) const {
    normalise(std::span(bytes_).subspan(example * example_bytes_, example_bytes_), into);
}

BytesInFile::BytesInFile(ReadOnlyFile file, std::uint64_t offset) : file_(std::move(file)), offset_(offset) {}

void BytesInFile::read(std::uint32_t example, std::span<float> into) const {
    std::array<std::uint8_t, 4096> piece{};
    auto position = offset_ + std::uint64_t{example} * into.size();
    while (!into.empty()) {
        const auto bytes = std::span(piece).first(std::min(piece.size(), into.size()));
        if (file_.read_at(position, bytes) < bytes.size()) {
            throw DataError(
                fmt::format("{}: became shorter while it was read: example {} is not there any more",
                            file_.name(), example));
        }
        normalise(bytes, into);
        into = into.subspan(bytes.size());
        position += bytes.size();
    }
}

Selected::Selected(std::shared_ptr<const ExampleValues> values, std::vector<std::uint32_t> examples)
    : values_(std::move(values)), examples_(std::move(examples)) {}

void Selected::read(std::uint32_t example, std::span<float> into) const {
    values_->read(examples_.at(example), into);
}

void SideBySide::read(std::uint32_t example, std::span<float> into) const {
    for (const auto& [values, count] : parts_) {
        values->read(example, into.first(count));
        into = into.subspan(count);
    }
}

bool SideBySide::decodes() const {
    return std::ranges::any_of(parts_, [](const Part& part) { return part.values->decodes(); });
}

WithoutMean::WithoutMean(std::shared_ptr<const ExampleValues> values, std::vector<float> mean)
    : values_(std::move(values)), mean_(std::move(mean)) {}

void WithoutMean::read(std::uint32_t example, std::span<float> into) const {
    values_->read(example, into);
    std::ranges::transform(into, mean_, into.begin(), std::minus<>{});
}

}  // namespace convoy
