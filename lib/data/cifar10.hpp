#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace convoy {

/// The constants of the binary format of CIFAR-10 (CIFAR10.md).
namespace cifar10 {
constexpr std::int64_t classes = 10;
constexpr std::size_t image_bytes = std::size_t{3} * 32 * 32;
constexpr std::size_t record_bytes = 1 + image_bytes;  ///< a label, then the image
constexpr std::int64_t records_per_file = 10'000;
constexpr std::array<std::string_view, 5> train_files{
    "data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"};
constexpr std::array<std::string_view, 1> test_files{"test_batch.bin"};
constexpr std::string_view archive = "cifar-10-binary.tar.gz";
constexpr std::string_view archive_folder = "cifar-10-batches-bin";
}  // namespace cifar10

/// Records of CIFAR-10 files, with labels and images in two lists. An image has three planes of 32x32 bytes:
/// red, green and blue.
struct CifarRecords {
    std::vector<std::int32_t> labels;
    std::vector<std::uint8_t> images;
};

/// Appends the records of one file. Throws a DataError that names the source if it does not have exactly
/// `records` records, or if a label is not a class.
void read_cifar10(ByteSource& source, std::int64_t records, CifarRecords& into);

/// Reads the first `wanted` records of the files with these names. Each file is in `folder` as NAME or
/// NAME.gz, or else in the publisher's archive. Throws DataError, or a MissingFileError that names the places
/// where it looked.
CifarRecords read_cifar10_files(const std::filesystem::path& folder, std::span<const std::string_view> files,
                                std::int64_t wanted);

}  // namespace convoy
