#include "base/lack_of_memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <system_error>

using namespace convoy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("errors for lack of memory and of threads are told from other errors") {
    CHECK(lack_of_memory(std::bad_alloc()));
    CHECK(lack_of_memory(std::length_error("vector")));
    CHECK(lack_of_memory(std::system_error(EAGAIN, std::generic_category())));
    CHECK(lack_of_memory(std::system_error(ENOMEM, std::generic_category())));
    CHECK_FALSE(lack_of_memory(std::system_error(EPIPE, std::generic_category())));
    CHECK_FALSE(lack_of_memory(std::out_of_range("index")));
}

TEST_CASE("a lack of memory names its purpose, and other errors pass") {
    const auto purpose = [] { return std::string("dense_1.weight of 40 bytes"); };
    CHECK(with_memory([] { return 5; }, purpose) == 5);
    try {
        with_memory([] { throw std::bad_alloc(); }, purpose);
        FAIL("no error");
    } catch (const DataError& error) {
        CHECK_THAT(error.what(), StartsWith("dense_1.weight of 40 bytes: there is no memory left"));
    }
    CHECK_THROWS_AS(with_memory([] { throw InternalError("a bug"); }, purpose), InternalError);
    CHECK_THROWS_AS(with_memory([] { throw std::out_of_range("index"); }, purpose), std::out_of_range);
}

// The limit is far above the memory that is in use, so that it stops nothing here.
TEST_CASE("a lack of memory names the limit of the process, where it has one") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_DATA, &before) == 0);
    if (before.rlim_cur == RLIM_INFINITY) CHECK_THAT(*lack_of_memory(std::bad_alloc()), !Contains("ulimit"));
    rlimit limited = before;
    limited.rlim_cur = std::min<rlim_t>(before.rlim_cur, rlim_t{1} << 50U);
    REQUIRE(::setrlimit(RLIMIT_DATA, &limited) == 0);
    const auto lack = lack_of_memory(std::bad_alloc());
    REQUIRE(::setrlimit(RLIMIT_DATA, &before) == 0);
    REQUIRE(lack);
    CHECK_THAT(*lack, Contains("ulimit"));
}
