// libFuzzer: whatever the bytes of an IDX file are, raw or gzipped, reading them ends with an array or a
// DataError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "base/error.hpp"
#include "data/idx.hpp"

namespace {

void read_as(std::unique_ptr<convoy::ByteSource> source, std::size_t rank) {
    try {
        const auto array = convoy::read_idx(*source, rank);
        if (array.shape.elements() != static_cast<std::int64_t>(array.bytes.size())) std::abort();
        convoy::check_idx_labels(array.bytes, 10, "input");
    } catch (const convoy::DataError&) {
        return;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span input(data, size);
    for (const std::size_t rank : {1U, 3U}) {
        read_as(convoy::memory_source("input", input), rank);
        read_as(convoy::gzip_source(convoy::memory_source("input", input)), rank);
    }
    return 0;
}
