// libFuzzer: whatever the bytes of a dataset's archive are, reading records of a file in it ends with as many
// records as were asked for or a DataError.

#include <cstdlib>

#include "base/error.hpp"
#include "data/cifar10.hpp"
#include "data/tar.hpp"
#include "files_of_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const convoy::fuzz::Folder folder("tar_fuzz");
    const auto file = folder.path() / "archive.tar.gz";
    convoy::fuzz::write(file, convoy::fuzz::text_of_input(data, size));
    for (const auto* member : {"one.bin", "folder/two.bin"}) {
        try {
            const auto source = convoy::tar_gz_source(file, member);
            convoy::CifarRecords records;
            convoy::read_cifar10(*source, 1, records);
            if (records.labels.size() != 1 || records.images.size() != convoy::cifar10::image_bytes)
                std::abort();
        } catch (const convoy::DataError&) {
        } catch (const convoy::MissingFileError&) {
        }
    }
    return 0;
}
