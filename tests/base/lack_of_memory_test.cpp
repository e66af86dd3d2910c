#include "base/lack_of_memory.hpp"

#include <catch2/catch.hpp>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>

#include "base/resource_limit.hpp"
#include "support/soft_limit.hpp"

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

TEST_CASE("a lack of memory names the limit of the process, where it has one") {
    const bool limited = resource_limit(RLIMIT_AS) || resource_limit(RLIMIT_DATA);
    CHECK((lack_of_memory(std::bad_alloc())->find("ulimit") != std::string::npos) == limited);
    for (const auto resource : {RLIMIT_AS, RLIMIT_DATA}) {
        // Far above the memory that is in use: it stops nothing.
        const test::SoftLimit limit(resource, rlim_t{1} << 50U);
        CHECK_THAT(*lack_of_memory(std::bad_alloc()), Contains("ulimit"));
        CHECK_THAT(*lack_of_memory(std::length_error("vector")), !Contains("ulimit"));
    }
}
