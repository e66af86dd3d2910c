// The bytes of a checkpoint's file, but for its digest, which is put behind them so that the parser sees
// them: what is read must be the same bits after it is written and read again.

#include <cstdlib>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "checkpoint/checkpoint_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    std::string file(reinterpret_cast<const char*>(data), size);
    file += convoy::sha256(file);
    try {
        const auto kept = convoy::decode_checkpoint(std::as_bytes(std::span(file)), "fuzz");
        const auto bytes = convoy::encode_checkpoint(kept);
        if (convoy::encode_checkpoint(convoy::decode_checkpoint(bytes, "again")) != bytes) std::abort();
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
