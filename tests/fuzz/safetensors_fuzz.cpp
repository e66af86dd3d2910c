// The bytes of a safetensors file: read them, and what is read must be the same bits after it is written and
// read again. The same with parts of tensors, which are then put together.

#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "tensor/tensor_parts.hpp"

namespace {

void check_parts(std::span<const std::byte> file) {
    const auto parts = convoy::decode_parts(file, "fuzz");
    const auto bytes = convoy::encode_parts(parts);
    if (convoy::encode_parts(convoy::decode_parts(bytes, "again")) != bytes) std::abort();
    for (const auto& part : parts) {
        const auto joined = convoy::join_parts(std::span(&part, 1), convoy::SharedPlaces::mean, "fuzz");
        if (joined.shape != part.whole) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto file = std::as_bytes(std::span(data, size));
    try {
        const auto tensors = convoy::decode_safetensors(file, "fuzz");
        const auto bytes = convoy::encode_safetensors(tensors);
        if (convoy::encode_safetensors(convoy::decode_safetensors(bytes, "again")) != bytes) std::abort();
        check_parts(file);
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
