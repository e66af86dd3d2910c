// libFuzzer: whatever the bytes of an NPY file are, reading its header ends with a shape whose elements are
// all in the file, or a DataError.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "data/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto source = convoy::memory_source("input", std::span(data, size));
        const auto header = convoy::read_npy_header(*source);
        const auto elements = static_cast<std::uint64_t>(header.shape.elements());
        if (elements < 1 || header.offset + elements * header.type_name().bytes != size) std::abort();
        for (const auto extent : header.shape)
            if (extent < 1) std::abort();
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
