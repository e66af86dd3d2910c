// Fields of the header of a server's answer: whatever they are, they are left aside, or they are sound.

#include <cstdlib>
#include <string>

#include "data/http_fields.hpp"
#include "files_of_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto text = convoy::fuzz::text_of_input(data, size);
    const auto range = convoy::parse_content_range(text);
    if (range && (range->last < range->first || (range->total && *range->total <= range->last))) std::abort();
    const auto etag = convoy::strong_etag(text);
    if (!etag.empty() && (etag != text || etag.find_first_of("\r\n") != std::string_view::npos)) std::abort();
    return 0;
}
