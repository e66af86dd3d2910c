#include "data/cifar10_dataset.hpp"

#include "base/error.hpp"
#include "data/advice.hpp"
#include "data/cifar10.hpp"

namespace convoy {

Dataset load_cifar10(const DatasetInfo& info, const std::filesystem::path& folder,
                     std::span<const std::string_view> files, std::int64_t wanted, bool cache) {
    if (!cache) throw DataError("input_pipeline.cache: cifar10 is kept in memory as a whole: expected true");
    return with_advice(info.name, [&]() -> Dataset {
        auto records = read_cifar10_files(folder, files, wanted);
        const std::vector<std::int64_t> file_sizes(records.labels.size() / cifar10::records_per_file,
                                                   cifar10::records_per_file);
        return {info.example_shape, info.classes, std::move(records.labels),
                std::make_shared<BytesInMemory>(std::move(records.images), cifar10::image_bytes), file_sizes};
    });
}

}  // namespace convoy
