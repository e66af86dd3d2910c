#include "bench/message_sizes.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace convoy;
using Sizes = std::vector<std::int64_t>;

TEST_CASE("sizes are a list or a range") {
    CHECK(parse_sizes("4", 2) == Sizes{4});
    CHECK(parse_sizes("64K,4096,1M", 2) == Sizes{65536, 4096, 1 << 20});
    CHECK(parse_sizes("1K..8K", 2) == Sizes{1024, 2048, 4096, 8192});
    CHECK(parse_sizes("1K..100K", 4) == Sizes{1024, 4096, 16384, 65536});
    CHECK(parse_sizes("16G..16G", std::int64_t{1} << 34) == Sizes{std::int64_t{16} << 30});
    CHECK(parse_sizes("8G..16G", 2) == Sizes{std::int64_t{8} << 30, std::int64_t{16} << 30});
}

TEST_CASE("what is no size is refused by its text") {
    for (const auto* text : {"", "K", "0", "3", "-4", "4k", "4KB", "17G", "99999999999999999999", "4,,8",
                             "4,", "4..", "8..4", "..", "4...8"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_sizes(text, 2), UsageError);
    }
    CHECK_THROWS_AS(parse_sizes("4..8", 1), UsageError);
}

TEST_CASE("a size's text is what it is parsed from") {
    for (const auto* text : {"4", "1K", "1M", "16G", "1000"})
        CHECK(size_text(parse_sizes(text, 2)[0]) == text);
}
