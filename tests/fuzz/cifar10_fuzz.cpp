// libFuzzer: whatever the bytes of a CIFAR-10 file are, raw or gzipped, reading them ends with as many
// records as were asked for or a DataError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "data/cifar10.hpp"

namespace {

void read_as(std::unique_ptr<convoy::ByteSource> source, std::int64_t records) {
    try {
        convoy::CifarRecords into;
        convoy::read_cifar10(*source, records, into);
        const auto count = static_cast<std::size_t>(records);
        if (into.labels.size() != count || into.images.size() != count * convoy::cifar10::image_bytes)
            std::abort();
    } catch (const convoy::DataError&) {
        return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span input(data, size);
    for (const std::int64_t records : {1, 2}) {
        read_as(convoy::memory_source("input", input), records);
        read_as(convoy::gzip_source(convoy::memory_source("input", input)), records);
    }
    return 0;
}
