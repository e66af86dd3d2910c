#include "base/ranks_text.hpp"

#include <catch2/catch.hpp>

using namespace convoy;

TEST_CASE("runs of ranks are told by their ends") {
    CHECK(ranks_text({3}) == "rank 3");
    CHECK(ranks_text({0, 1, 2, 3}) == "ranks 0 to 3");
    CHECK(ranks_text({0, 2, 3, 7}) == "ranks 0, 2 to 3, 7");
}
