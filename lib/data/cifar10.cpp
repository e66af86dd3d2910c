#include "data/cifar10.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/tar.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

void read_record(ByteSource& source, std::int64_t record, std::span<std::uint8_t> bytes) {
    const auto count = source.read(bytes);
    if (count == bytes.size()) return;
    throw DataError(fmt::format("{}: truncated: record {} has {} of its {} bytes", source.name(), record,
                                count, bytes.size()));
}

/// One file of the dataset, in whichever of its forms is there.
std::unique_ptr<ByteSource> open_file(const fs::path& folder, std::string_view name) {
    const auto raw = folder / name;
    const auto archive = folder / cifar10::archive;
    if (const auto found = existing_form(raw)) return inflated_file(*found);
    if (is_there(archive)) return tar_gz_source(archive, fmt::format("{}/{}", cifar10::archive_folder, name));
    throw MissingFileError(
        fmt::format("{}: not there, nor {}.gz, nor {}", raw.string(), name, cifar10::archive));
}

}  // namespace

void read_cifar10(ByteSource& source, std::int64_t records, CifarRecords& into) {
    std::vector<std::uint8_t> bytes(cifar10::record_bytes);
    for (std::int64_t record = 0; record < records; ++record) {
        read_record(source, record, bytes);
        if (bytes[0] >= cifar10::classes) {
            throw DataError(fmt::format("{}: label {} of record {} is not one of the {} classes 0 to {}",
                                        source.name(), bytes[0], record, cifar10::classes,
                                        cifar10::classes - 1));
        }
        into.labels.push_back(bytes[0]);
        into.images.insert(into.images.end(), bytes.begin() + 1, bytes.end());
    }
    if (source.read(std::span(bytes).first(1)) != 0) {
        throw DataError(fmt::format("{}: bytes follow its {} records of {} bytes", source.name(), records,
                                    cifar10::record_bytes));
    }
}

CifarRecords read_cifar10_files(const fs::path& folder, std::span<const std::string_view> files,
                                std::int64_t wanted) {
    CifarRecords records;
    const auto needed = (wanted + cifar10::records_per_file - 1) / cifar10::records_per_file;
    const auto count =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::max<std::int64_t>(needed, 1)), 1, files.size());
    // All memory at once, so that the images are never in two places.
    const auto expected = count * static_cast<std::size_t>(cifar10::records_per_file);
    records.labels.reserve(expected);
    records.images.reserve(expected * cifar10::image_bytes);
    for (const auto name : files.first(count)) {
        const auto source = open_file(folder, name);
        read_cifar10(*source, cifar10::records_per_file, records);
    }
    return records;
}

}  // namespace convoy
