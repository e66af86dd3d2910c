// A progress.json: it counts as none, or what is read is the same after it is written and read again.

#include <cstdlib>

#include "files_of_input.hpp"
#include "monitor/progress_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto read = convoy::parse_progress(convoy::fuzz::text_of_input(data, size));
    if (!read) return 0;
    for (const auto& [rank, node] : read->nodes)
        if (rank < 0 || rank != node.rank) std::abort();
    const auto text = convoy::progress_file_text(read->shown, read->nodes);
    const auto again = convoy::parse_progress(text);
    if (!again || convoy::progress_file_text(again->shown, again->nodes) != text) std::abort();
    return 0;
}
