#include "data/cifar10_dataset.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "data/cifar10.hpp"

namespace convoy {

Dataset load_cifar10(const DatasetInfo& info, const std::filesystem::path& folder,
                     std::span<const std::string_view> files, std::int64_t wanted, bool cache) {
    if (!cache) throw DataError("input_pipeline.cache: cifar10 is kept in memory as a whole: expected true");
    try {
        auto records = read_cifar10_files(folder, files, wanted);
        return {info.example_shape, info.classes, std::move(records.labels),
                std::make_shared<BytesInMemory>(std::move(records.images), cifar10::image_bytes)};
    } catch (const MissingFileError& error) {
        throw MissingFileError(
            fmt::format("{}; `convoy dataset fetch {}` gets it, or name the folder that holds {}/ "
                        "with --data or CONVOY_DATA",
                        error.what(), info.name, info.name));
    } catch (const DataError& error) {
        throw DataError(
            fmt::format("{}; `convoy dataset verify {}` checks all files", error.what(), info.name));
    }
}

}  // namespace convoy
