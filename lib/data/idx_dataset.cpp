#include "data/idx_dataset.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/advice.hpp"
#include "data/idx.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t image_rank = 3, label_rank = 1;

struct Images {
    std::int64_t count;
    std::shared_ptr<const ExampleValues> values;
};

void check_image_size(const Shape& found, const Shape& example, const fs::path& file) {
    if (found[1] == example[1] && found[2] == example[2]) return;
    throw DataError(fmt::format("{}: images of {}x{} where the dataset has {}x{}", file.string(), found[1],
                                found[2], example[1], example[2]));
}

Images images_in_memory(const fs::path& file, const Shape& example) {
    auto array = read_idx(*inflated_file(file), image_rank);
    check_image_size(array.shape, example, file);
    const auto count = array.shape[0];
    return {count, std::make_shared<BytesInMemory>(std::move(array.bytes),
                                                   static_cast<std::size_t>(example.elements()))};
}

Images images_in_file(const fs::path& file, const Shape& example) {
    if (is_gzip(file)) {
        throw DataError(
            fmt::format("{}: input_pipeline.cache false cannot read it gzipped: `gunzip --keep {}`",
                        file.string(), file.string()));
    }
    const auto shape = read_idx_header(*file_source(file), image_rank);
    check_image_size(shape, example, file);
    ReadOnlyFile images(file);
    const auto expected = idx::header_bytes(image_rank) + static_cast<std::uint64_t>(shape.elements());
    if (images.size() != expected) {
        throw DataError(fmt::format("{}: {} bytes where its header announces {}: truncated or damaged",
                                    file.string(), images.size(), expected));
    }
    return {shape[0], std::make_shared<BytesInFile>(std::move(images), idx::header_bytes(image_rank))};
}

std::vector<std::int32_t> read_labels(const fs::path& file, std::int64_t classes) {
    const auto labels = read_idx(*inflated_file(file), label_rank).bytes;
    check_idx_labels(labels, classes, file.string());
    return {labels.begin(), labels.end()};
}

Images read_images(const fs::path& file, const Shape& example, bool cache) {
    return cache ? images_in_memory(file, example) : images_in_file(file, example);
}

Dataset load_pair(const DatasetInfo& info, const fs::path& image_file, const fs::path& label_file,
                  bool cache) {
    auto labels = read_labels(label_file, info.classes);
    auto images = read_images(image_file, info.example_shape.image(), cache);
    if (images.count != static_cast<std::int64_t>(labels.size())) {
        throw DataError(fmt::format("{}: {} images, but {} has {} labels", image_file.string(), images.count,
                                    label_file.filename().string(), labels.size()));
    }
    return {info.example_shape, info.classes, std::move(labels), std::move(images.values)};
}

}  // namespace

Dataset load_idx_dataset(const DatasetInfo& info, const fs::path& folder, const IdxFiles& files, bool cache,
                         const DataWanted& wanted) {
    return with_advice(info.name, [&]() -> Dataset {
        const auto file = [&](const char* name) { return find_idx_file(folder, name); };
        const auto& shape = info.example_shape;
        const auto classes = info.classes;
        if (wanted.values && wanted.labels)
            return load_pair(info, file(files.images), file(files.labels), cache);
        if (!wanted.values) return {shape, classes, read_labels(file(files.labels), classes), nullptr};
        auto images = read_images(file(files.images), shape.image(), cache);
        return Dataset::unlabelled(shape, classes, images.count, std::move(images.values));
    });
}

std::optional<std::int64_t> count_idx_examples(const DatasetInfo& info, const fs::path& folder,
                                               const IdxFiles& files) {
    return with_advice(info.name, [&]() -> std::optional<std::int64_t> {
        const std::pair images(files.images, image_rank), labels(files.labels, label_rank);
        for (const auto& [name, rank] : {images, labels}) {
            if (const auto file = existing_form(folder / name))
                return read_idx_header(*inflated_file(*file), rank)[0];
        }
        return std::nullopt;
    });
}

}  // namespace convoy
