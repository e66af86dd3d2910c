// The bytes of a safetensors file: read them, and what is read must be the same bits after it is written and
// read again.

#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "tensor/safetensors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    try {
        const auto tensors = convoy::decode_safetensors(std::as_bytes(std::span(data, size)), "fuzz");
        const auto bytes = convoy::encode_safetensors(tensors);
        if (convoy::encode_safetensors(convoy::decode_safetensors(bytes, "again")) != bytes) std::abort();
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
