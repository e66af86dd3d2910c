// An address in a spec or a manifest: whatever it is, it is refused, or what is asked of a server stays
// within the address's own place, without users and line ends.

#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "data/data_address.hpp"
#include "data/fetched_data.hpp"
#include "files_of_input.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void check(const convoy::DataAddress& address) {
    require(address.shown().find_first_of("?#") == std::string::npos);
    require(!address.has_offset_in_address() ||
            address.request(7).find("op=OPEN&offset=7") != std::string::npos);
    const auto request = address.request(0);
    require(request.starts_with("http://") || request.starts_with("https://"));
    for (const char c : request) require(c > ' ' && c < '\x7f' && c != '#');
    // What was taken apart and put together is the same address.
    const convoy::DataAddress again(address.text());
    require(again.request(0) == request && again.shown() == address.shown());
    require(convoy::DataAddress(address.file("a.npy").text()).file_name() == "a.npy");
    const auto name = convoy::name_in_cache(address, {.bytes = {}, .digest = {.hex = std::string(64, 'a')}});
    require(name.size() <= 100 && name.find('/') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        check(convoy::DataAddress(std::string(convoy::fuzz::text_of_input(data, size))));
    } catch (const convoy::DataError&) {
    }
    return 0;
}
