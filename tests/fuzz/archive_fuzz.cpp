// libFuzzer: whatever the bytes of an archive are, it is refused with a DataError, or all its files have
// allowed paths and are within the bounds, and packing them gives the same files again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/error.hpp"
#include "paper/archive.hpp"
#include "paper/archive_format.hpp"
#include "paper/settled_sweep.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const auto files = convoy::unpack_archive(std::as_bytes(std::span(data, size)), "input");
        for (const auto& [path, content] : files)
            if (!convoy::is_archive_path(path) || content.size() > convoy::most_archived_file_bytes)
                std::abort();
        const auto packed = convoy::pack_archive(files);
        if (convoy::unpack_archive(std::as_bytes(std::span(packed)), "again") != files) std::abort();
        convoy::published_sweep(files, "input");
    } catch (const convoy::DataError&) {
        return 0;
    }
    return 0;
}
